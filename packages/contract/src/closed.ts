import Type from 'typebox'

/** With this option, the schema of an object refuses unknown fields, and the error names them. */
export const closed = { additionalProperties: false } as const

/** The query of a route without parameters. Any parameter is refused, and the error names it. */
export const NoQuery = Type.Object({}, closed)
/** The body of a route that needs none: absent, null or an empty object. */
export const NoBody = Type.Unsafe<object | null>({
  ...Type.Object({}, { additionalProperties: false }),
  type: ['object', 'null'],
})
