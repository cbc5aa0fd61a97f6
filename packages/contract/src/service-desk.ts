import Type, { type Static } from 'typebox'
import { requestCategories } from './catalogs/index.ts'
import { closed, NodeId } from './graph/queries.ts'
import { Uuid } from './graph/records.ts'
import { LIMITS } from './limits.ts'
import { Nullable, Timestamp } from './lists.ts'
import { LONG_TEXT, PLAIN_TEXT } from './text-patterns.ts'

export const REQUEST_STATES = ['new', 'assigned', 'in_progress', 'on_hold', 'resolved', 'closed', 'cancelled'] as const
export type RequestState = (typeof REQUEST_STATES)[number]

/** The moves of a request: any other is a conflict. */
export const REQUEST_MOVES = {
  new: ['assigned', 'in_progress', 'cancelled'],
  assigned: ['in_progress', 'on_hold', 'cancelled'],
  in_progress: ['on_hold', 'resolved', 'cancelled'],
  on_hold: ['in_progress', 'cancelled'],
  resolved: ['closed', 'in_progress'],
  closed: [],
  cancelled: [],
} as const satisfies Record<RequestState, readonly RequestState[]>

export const REQUEST_PRIORITIES = ['low', 'normal', 'high', 'critical'] as const
export type RequestPriority = (typeof REQUEST_PRIORITIES)[number]
export type RequestCategorySlug = (typeof requestCategories)[number]['slug']
const Category = Type.Enum(requestCategories.map(({ slug }) => slug) as RequestCategorySlug[])

/** Hours from the report until a request is due. The clock rests while it is on hold. */
export const SLA_HOURS = { critical: 4, high: 24, normal: 72, low: 240 } as const satisfies Record<
  RequestPriority,
  number
>
/** The share of that time after which people are warned. */
export const SLA_WARNING = 0.8
export const SLA_STATES = ['on_time', 'warning', 'breached', 'met'] as const

const { request } = LIMITS
const Title = Type.String({
  minLength: 1,
  maxLength: request.titleLength,
  pattern: PLAIN_TEXT,
  description: 'a text of one line',
})
const text = (maxLength: number, minLength = 0) =>
  Type.String({ minLength, maxLength, pattern: LONG_TEXT, description: 'a text without control characters' })
/** People and teams live in the identity provider: their ids are its own. */
const Assignee = Type.String({ minLength: 1, maxLength: 200, pattern: PLAIN_TEXT, description: 'an id' })

const fields = {
  title: Title,
  description: Type.Optional(Nullable(text(request.descriptionLength))),
  category: Category,
  priority: Type.Enum([...REQUEST_PRIORITIES]),
  spaceId: Type.Optional(Nullable(NodeId)),
  storeyId: Type.Optional(Nullable(NodeId)),
  elementId: Type.Optional(Nullable(NodeId)),
}
export const NewRequest = Type.Object(
  {
    buildingId: NodeId,
    ...fields,
    category: Type.Optional(fields.category),
    priority: Type.Optional(fields.priority),
  },
  closed,
)
export type NewRequest = Static<typeof NewRequest>
export const RequestPatch = Type.Partial(
  Type.Object({ ...fields, assignedUserId: Nullable(Assignee), assignedTeamId: Nullable(Assignee) }),
  { ...closed, minProperties: 1 },
)
export type RequestPatch = Static<typeof RequestPatch>
export const RequestTransition = Type.Object(
  { state: Type.Enum([...REQUEST_STATES]), comment: Type.Optional(Nullable(text(request.commentLength))) },
  closed,
)
export type RequestTransition = Static<typeof RequestTransition>
export const NewComment = Type.Object({ text: text(request.commentLength, 1) }, closed)
export type NewComment = Static<typeof NewComment>

export const CommentRecord = Type.Object(
  { id: Uuid, text: Type.String(), author: Type.String(), createdAt: Timestamp },
  { $id: 'RequestComment' },
)
export type CommentRecord = Static<typeof CommentRecord>

export const RequestRecord = Type.Object(
  {
    id: Uuid,
    number: Type.String({ description: 'For people to say: SR-000123' }),
    buildingId: Uuid,
    title: Type.String(),
    description: Nullable(Type.String()),
    category: Category,
    priority: Type.Enum([...REQUEST_PRIORITIES]),
    state: Type.Enum([...REQUEST_STATES]),
    spaceId: Nullable(Uuid),
    storeyId: Nullable(Uuid),
    elementId: Nullable(Uuid),
    assignedUserId: Nullable(Type.String()),
    assignedTeamId: Nullable(Type.String()),
    reporter: Type.String(),
    dueAt: Timestamp,
    overdue: Type.Boolean(),
    slaState: Type.Enum([...SLA_STATES]),
    workOrderIds: Type.Array(Type.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'ServiceRequest' },
)
export type RequestRecord = Static<typeof RequestRecord>

export const RequestList = Type.Object({
  data: Type.Array(RequestRecord),
  total: Type.Integer({ minimum: 0 }),
  page: Type.Integer({ minimum: 1 }),
  limit: Type.Integer(),
})

export const RequestQuery = Type.Object(
  {
    buildingId: Type.Optional(NodeId),
    state: Type.Optional(Type.Enum([...REQUEST_STATES])),
    priority: Type.Optional(Type.Enum([...REQUEST_PRIORITIES])),
    category: Type.Optional(Category),
    assignedUserId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    assignedTeamId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    spaceId: Type.Optional(NodeId),
    storeyId: Type.Optional(NodeId),
    elementId: Type.Optional(NodeId),
    search: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'All these words' })),
    overdue: Type.Optional(Type.Boolean()),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: `Rows a page: 50 when absent, 200 at the most` })),
  },
  closed,
)
export type RequestQuery = Static<typeof RequestQuery>
