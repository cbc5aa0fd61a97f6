import Type from 'typebox'

/** In a response. */
export const Uuid = Type.String({ format: 'uuid' })

/** In a request. Stricter than the format `uuid`, which also allows `urn:uuid:`. */
export const NodeId = Type.String({
  pattern: '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
  description: 'a UUID',
})
/** As a filter. */
export const UuidFilter = Type.Optional(NodeId)
