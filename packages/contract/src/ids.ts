import Type from 'typebox'

/** The id of a node or another record, in a response. */
export const Uuid = Type.String({ format: 'uuid' })

/** The id of a node or another record, in a request. Stricter than the format `uuid`, which also allows `urn:uuid:`. */
export const NodeId = Type.String({
  pattern: '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
  description: 'a UUID',
})
/** The id of a record in the path of a route, with its description for the API documents. */
export const pathId = (record: string) => Type.String({ description: `The id of the ${record}` })
/** An id as an optional filter in a query. */
export const UuidFilter = Type.Optional(NodeId)
