import Type from 'typebox'

/** For an object whose unknown fields are refused by name. */
export const closed = { additionalProperties: false } as const

/** For a route without query parameters: an unknown one is refused by name. */
export const NoQuery = Type.Object({}, closed)
/** For a call without a body. */
export const NoBody = Type.Unsafe<object | null>({
  ...Type.Object({}, { additionalProperties: false }),
  type: ['object', 'null'],
})
