import Type, { type Static, type TSchema } from 'typebox'
import { requestCategories } from './catalogs/index.ts'
import { closed } from './closed.ts'
import { NodeId, pathId, Uuid } from './ids.ts'
import { LIMITS } from './limits.ts'
import { ListOf, Nullable, PageQuery, pageLimit } from './lists.ts'
import { REQUEST_STATES } from './request-moves.ts'
import { LONG_TEXT, PLAIN_TEXT } from './text-patterns.ts'
import { Timestamp } from './timestamps.ts'

export const REQUEST_PRIORITIES = ['low', 'normal', 'high', 'critical'] as const
export type RequestPriority = (typeof REQUEST_PRIORITIES)[number]
export type RequestCategorySlug = (typeof requestCategories)[number]['slug']
const CATEGORIES = requestCategories.map(({ slug }) => slug) as RequestCategorySlug[]
const Category = Type.Enum(CATEGORIES)

export const SLA_STATES = ['on_time', 'warning', 'breached', 'met'] as const
export type SlaState = (typeof SLA_STATES)[number]

const { request } = LIMITS
/** An optional and nullable schema for bodies. A union would report a violation once for each of its branches. */
const orNull = <T extends TSchema & { type: string }>(schema: T) =>
  Type.Optional(Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] }))

/**
 * Requires a visible character. Unicode does not class the blank Braille pattern as whitespace, but it is invisible.
 */
const HAS_VISIBLE = '(?=[\\s\\S]*?[^\\s\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800])'
const withVisible = (pattern: string) => pattern.replace('^', `^${HAS_VISIBLE}`)

const Title = Type.String({
  minLength: 1,
  maxLength: request.titleLength,
  pattern: withVisible(PLAIN_TEXT),
  description: 'one line of text with at least one visible character',
})
const Description = Type.String({
  maxLength: request.descriptionLength,
  pattern: LONG_TEXT,
  description: 'text without control characters other than line ends and tabs',
})
const COMMENT = withVisible(LONG_TEXT)
const CommentText = Type.String({
  minLength: 1,
  maxLength: request.commentLength,
  pattern: COMMENT,
  description: 'text with at least one visible character, and without control characters other than line ends and tabs',
})
/** Ids of people and teams come from the identity provider: at most 255 characters in OpenID Connect. */
const Assignee = Type.String({ minLength: 1, maxLength: 255, pattern: withVisible(PLAIN_TEXT), description: 'an id' })
const Priority = Type.Enum([...REQUEST_PRIORITIES])
const State = Type.Enum([...REQUEST_STATES])

const fields = {
  title: Title,
  description: orNull(Description),
  category: Category,
  priority: Priority,
  spaceId: orNull(NodeId),
  storeyId: orNull(NodeId),
  elementId: orNull(NodeId),
}
export const NewRequest = Type.Object(
  {
    buildingId: NodeId,
    ...fields,
    category: Type.Optional(Type.Enum(Category.enum, { description: 'Default: other' })),
    priority: Type.Optional(Type.Enum(Priority.enum, { description: 'Default: normal' })),
    faultId: orNull({ ...NodeId, description: 'a UUID: the fault of this building that the request is about' }),
  },
  closed,
)
export type NewRequest = Static<typeof NewRequest>
export const RequestPatch = Type.Partial(
  Type.Object({ ...fields, assignedUserId: orNull(Assignee), assignedTeamId: orNull(Assignee) }),
  { ...closed, minProperties: 1 },
)
export type RequestPatch = Static<typeof RequestPatch>
/** An empty comment counts as absent. */
const MoveComment = { ...CommentText, minLength: 0, pattern: `^$|${COMMENT}` }
export const RequestTransition = Type.Object({ state: State, comment: orNull(MoveComment) }, closed)
export type RequestTransition = Static<typeof RequestTransition>
export const NewComment = Type.Object({ text: CommentText }, closed)
export type NewComment = Static<typeof NewComment>

export const CommentRecord = Type.Object(
  { id: Uuid, text: Type.String(), author: Type.String(), createdAt: Timestamp },
  { $id: 'RequestComment' },
)
export type CommentRecord = Static<typeof CommentRecord>
export const CommentList = ListOf(Type.Ref('RequestComment'))
export const CommentListQuery = Type.Object(PageQuery, closed)

/** The readable number, such as SR-000123. */
export const requestNumber = (number: number): string => `SR-${String(number).padStart(6, '0')}`

export const MAX_WORK_ORDERS_PER_REQUEST = 100

/** The fields of a request that its record and its events have. */
const recordFields = {
  number: Type.String({ description: 'Readable number, such as SR-000123' }),
  buildingId: Uuid,
  title: Type.String(),
  category: Category,
  priority: Priority,
  state: State,
  spaceId: Nullable(Uuid),
  storeyId: Nullable(Uuid),
  elementId: Nullable(Uuid),
  faultId: Nullable(Uuid),
  assignedUserId: Nullable(Type.String()),
  assignedTeamId: Nullable(Type.String()),
  reporter: Type.String(),
  dueAt: Timestamp,
  overdue: Type.Boolean({
    description:
      'Whether dueAt has passed. Always false for a request that is resolved, closed or cancelled, and for one that was ' +
      'put on hold before dueAt and still is on hold',
  }),
  slaState: Type.Enum([...SLA_STATES]),
  workOrderIds: Type.Array(Type.String(), {
    description: `The first ${MAX_WORK_ORDERS_PER_REQUEST} work orders, in the order of arrival. Further work orders are not linked`,
  }),
  createdAt: Timestamp,
  updatedAt: Type.String({
    format: 'date-time',
    description:
      'Time of the last change of any kind. No two changes have the same time, and changes become visible in the ' +
      'order of their times.',
  }),
}
export const RequestRecord = Type.Object(
  { id: Uuid, description: Nullable(Type.String()), ...recordFields },
  { $id: 'ServiceRequest' },
)
export type RequestRecord = Static<typeof RequestRecord>

export const RequestParams = Type.Object({ id: pathId('request') })
export const RequestList = Type.Object({
  data: Type.Array(Type.Ref('ServiceRequest')),
  total: Type.Integer({ minimum: 0 }),
  page: Type.Integer({ minimum: 1 }),
  limit: Type.Integer(),
})

const { page } = LIMITS.request
const assigneeFilter = (assignee: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: `The id of ${assignee}` }))
export const RequestQuery = Type.Object(
  {
    buildingId: Type.Optional(NodeId),
    state: Type.Optional(Type.Enum([...REQUEST_STATES], { description: 'Returns the requests in this state' })),
    priority: Type.Optional(
      Type.Enum([...REQUEST_PRIORITIES], { description: 'Returns the requests of this priority' }),
    ),
    category: Type.Optional(Type.Enum(CATEGORIES, { description: 'Returns the requests of this category' })),
    assignedUserId: assigneeFilter('the person to whom the requests are assigned'),
    assignedTeamId: assigneeFilter('the team to which the requests are assigned'),
    spaceId: Type.Optional(NodeId),
    storeyId: Type.Optional(NodeId),
    elementId: Type.Optional(NodeId),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Finds requests that have all of these words in title, description or number, in any order. A word of three ' +
          'or more letters or digits matches any part of a word, and a shorter one matches only the beginning of a ' +
          'word. In scripts without spaces between words, such as Chinese, a word of any length matches any part of a ' +
          'text. Case and accents are ignored. SR-000123 finds that number, and SR-00 finds the numbers that begin ' +
          'with it.',
      }),
    ),
    overdue: Type.Optional(Type.Boolean({ description: 'true: requests that are overdue; false: all others' })),
    page: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'The number of the page, from 1' }),
    ),
    limit: pageLimit(page),
  },
  closed,
)
export type RequestQuery = Static<typeof RequestQuery>

/**
 * The fields of `service-desk.ticket.*` on the bus: the record without its description. `changed` names the fields that
 * an update changed.
 */
export const TicketEvent = Type.Object({
  requestId: Uuid,
  ...recordFields,
  changed: Type.Optional(Type.Array(Type.String())),
})
export type TicketEvent = Static<typeof TicketEvent>

const workOrder = { workOrderId: Type.String({ ...Assignee, maxLength: 200 }) }
/**
 * An event of a work order, with the fields that link it to a request: `requestId`, or `requestNumber` if `requestId`
 * is absent or null. A maintenance system can send further fields.
 */
export const WorkOrderEvent = Type.Union([
  Type.Object({ ...workOrder, requestId: NodeId }),
  Type.Object({
    ...workOrder,
    requestId: Type.Optional(Type.Null()),
    requestNumber: Type.String({ pattern: '^[Ss][Rr]-[0-9]{1,15}$', description: 'the number of a request' }),
  }),
])
export type WorkOrderEvent = { workOrderId: string; requestId?: string | null; requestNumber?: string | null }
