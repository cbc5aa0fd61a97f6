import Type from 'typebox'

/** The id of a node or another record, in a response. */
export const Uuid = Type.String({ format: 'uuid' })

/** The id of a node in a request. Stricter than the format `uuid`, which also allows `urn:uuid:`. */
export const NodeId = Type.String({
  pattern: '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
  description: 'a UUID',
})
/** An id as an optional filter in a query. */
export const UuidFilter = Type.Optional(NodeId)
