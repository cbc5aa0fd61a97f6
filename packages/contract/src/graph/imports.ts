import Type, { type Static } from 'typebox'
import { closed } from '../closed.ts'
import { pathId, Uuid } from '../ids.ts'
import { LIMITS } from '../limits.ts'
import { ListOf, Nullable, PageQuery, pageQuery } from '../lists.ts'
import type { FieldError } from '../problems.ts'
import { PLAIN_TEXT } from '../text-patterns.ts'
import { Timestamp } from '../timestamps.ts'
import { ExternalIdText, NewElement, NewPoint, NewSpace, SourceSystem } from './bodies.ts'
import { NodeChange } from './history.ts'
import { NODE_KINDS } from './records.ts'

export const IMPORT_KEYS = ['externalId', 'code'] as const
export type ImportKey = (typeof IMPORT_KEYS)[number]

const bulk = {
  sourceSystem: SourceSystem,
  dryRun: Type.Optional(Type.Boolean({ description: 'Whether nothing is written; default false' })),
  matchBy: Type.Optional(
    Type.Enum([...IMPORT_KEYS], {
      description: 'Whether rows are matched by externalId (default) or by code. With code, rows have no externalId.',
    }),
  ),
  listChanges: Type.Optional(
    Type.Boolean({ description: 'Whether the result has the list of changes; default false' }),
  ),
}
/** Parameters of a CSV import. They are in the query, because a CSV body has no place for them. */
export const CsvImportQuery = Type.Partial(Type.Object(bulk), closed)
export type CsvImportQuery = Static<typeof CsvImportQuery>

const { name, spaceId, code } = NewElement.properties
const { elementId, pointType, quantityKind, unit } = NewPoint.properties
const { storeyId, areaSqm, status, isLeasable, capacity } = NewSpace.properties
const parentExternalId = Type.Optional(Nullable(ExternalIdText))
/** Required, except in an import that matches rows by code. */
const externalId = Type.Optional({ ...ExternalIdText, description: 'required unless matchBy is code' })

export const SpaceRow = Type.Object(
  {
    externalId,
    storeyId: Type.Optional(Nullable(storeyId)),
    storeyExternalId: parentExternalId,
    spaceType: NewSpace.properties.spaceTypeSlug,
    name,
    code,
    areaSqm,
    status,
    isLeasable,
    capacity,
  },
  { ...closed, description: 'A row has either storeyId or storeyExternalId' },
)
export type SpaceRow = Static<typeof SpaceRow>

export const ElementRow = Type.Object(
  {
    externalId,
    spaceId,
    spaceExternalId: parentExternalId,
    elementType: NewElement.properties.elementTypeSlug,
    name,
    code,
  },
  { ...closed, description: 'A row has either spaceId or spaceExternalId' },
)
export type ElementRow = Static<typeof ElementRow>

export const PointRow = Type.Object(
  {
    externalId,
    elementId: Type.Optional(Nullable(elementId)),
    elementExternalId: parentExternalId,
    pointType,
    name,
    quantityKind,
    unit,
    code,
  },
  { ...closed, description: 'A row has either elementId or elementExternalId' },
)
export type PointRow = Static<typeof PointRow>

const maxRows = { maxItems: LIMITS.bulkImportRows }
export const ImportSpaces = Type.Object({ ...bulk, spaces: Type.Array(SpaceRow, maxRows) }, closed)
export const ImportElements = Type.Object({ ...bulk, elements: Type.Array(ElementRow, maxRows) }, closed)
export const ImportPoints = Type.Object({ ...bulk, points: Type.Array(PointRow, maxRows) }, closed)

export const BulkImportResult = Type.Object(
  {
    created: Type.Integer(),
    updated: Type.Integer(),
    unchanged: Type.Integer(),
    dryRun: Type.Boolean(),
    changes: Type.Optional(
      Type.Array(NodeChange, {
        description:
          'With listChanges: what the import changes, as in a diff. In a dry run, the ids and the generated codes of ' +
          'created nodes are not those that the nodes will get from the import.',
      }),
    ),
  },
  { $id: 'BulkImportResult' },
)
export interface BulkImportResult extends Omit<Static<typeof BulkImportResult>, 'changes'> {
  changes?: NodeChange[]
}

/** A violation in a row, in the list `errors` of a refused import. */
export interface BadRow extends FieldError {
  index: number
  externalId: string | null
  reason: string
}

const FileName = Type.String({ minLength: 1, maxLength: 255, pattern: PLAIN_TEXT, description: 'one line of text' })
export const IfcImportQuery = Type.Object(
  {
    replace: Type.Optional(
      Type.Boolean({
        description: 'Whether all nodes of the generated building and of earlier models are replaced; default false',
      }),
    ),
    fileName: Type.Optional(FileName),
  },
  closed,
)
export type IfcImportQuery = Static<typeof IfcImportQuery>
export const IFC_MEDIA_TYPES = ['application/x-step', 'application/octet-stream'] as const

export const IMPORT_STATUSES = ['queued', 'running', 'succeeded', 'failed'] as const
export type ImportStatus = (typeof IMPORT_STATUSES)[number]

const Counts = Type.Object({
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  removed: Type.Integer(),
})
export type ImportCounts = Static<typeof Counts>

export const LeftOutEntity = Type.Object({
  globalId: Nullable(Type.String()),
  ifcClass: Type.String(),
  name: Nullable(Type.String()),
  reason: Type.String(),
})
export type LeftOutEntity = Static<typeof LeftOutEntity>

/** A node that a client had created, and that an import removed because the new model has no parent for it. */
export const RemovedNode = Type.Object({
  id: Uuid,
  kind: Type.Enum([...NODE_KINDS]),
  code: Type.String(),
  name: Type.String(),
  sourceSystem: Nullable(Type.String()),
  externalId: Nullable(Type.String()),
  reason: Type.String(),
})
export type RemovedNode = Static<typeof RemovedNode>

const summary = {
  importId: Uuid,
  status: Type.Enum([...IMPORT_STATUSES]),
  replace: Type.Boolean(),
  actor: Type.String(),
  fileName: Type.Union([Type.String(), Type.Null()], { description: 'The name of the file, if the upload had one' }),
  sizeBytes: Type.Integer(),
  schema: Type.Union([Type.String(), Type.Null()], { description: 'The IFC schema of the file' }),
  failureReason: Nullable(Type.String()),
  revision: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'The revision that the import created; null until the import has succeeded, and null if it changed nothing',
  }),
  counts: Nullable(Type.Object({ storeys: Counts, spaces: Counts, elements: Counts, points: Counts })),
  leftOutTotal: Type.Integer(),
  createdAt: Timestamp,
  startedAt: Nullable(Timestamp),
  finishedAt: Nullable(Timestamp),
}
export const ImportSummary = Type.Object(summary, { $id: 'ImportSummary' })
export type ImportSummary = Static<typeof ImportSummary>
export const ImportRecord = Type.Object(
  {
    ...summary,
    leftOut: Type.Array(LeftOutEntity, {
      description: `The first ${LIMITS.leftOutInRecord} entities that were left out, each with the reason. The path …/left-out lists all of them`,
    }),
    removed: Type.Array(RemovedNode),
  },
  { $id: 'Import' },
)
export type ImportRecord = Static<typeof ImportRecord>
export const ImportAccepted = Type.Object({ importId: Uuid, status: Type.Enum([...IMPORT_STATUSES]) })
export const ImportList = ListOf(Type.Ref('ImportSummary'))
export const ImportListQuery = Type.Object(PageQuery, closed)
export const ImportParams = Type.Object({ buildingId: pathId('building'), importId: pathId('import') })
export const LeftOutList = ListOf(LeftOutEntity)
export const LeftOutQuery = Type.Object(pageQuery(LIMITS.graphPageMax), closed)
