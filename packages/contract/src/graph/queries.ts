import Type, { type Static } from 'typebox'
import { quantityKinds, units } from '../catalogs/index.ts'
import { closed } from '../closed.ts'
import { pathId, UuidFilter } from '../ids.ts'
import { LIMITS } from '../limits.ts'
import { PageQuery, pageQuery } from '../lists.ts'
import { POINT_TYPES, SPACE_STATUSES } from './records.ts'

export const GraphPageQuery = pageQuery(LIMITS.graphPageMax)

const SlugFilter = Type.Optional(Type.String({ pattern: '^[a-z0-9-]{1,64}$', description: 'a slug of the catalog' }))

/**
 * A filter by name. A misspelt name is refused, because an empty page would look like a building without such points.
 */
const nameOf = (entries: readonly { name: string }[], description: string) =>
  Type.Optional(Type.String({ enum: entries.map(({ name }) => name), description }))

const buildingId = pathId('building')
export const BuildingParams = Type.Object({ buildingId })
/** The path of a record of a building whose parameter is `id`, such as a node. */
export const inBuilding = (record: string) => Type.Object({ buildingId, id: pathId(record) })

export const BuildingListQuery = Type.Object(PageQuery, closed)
export const StoreyListQuery = Type.Object(PageQuery, closed)
/** A deployment can lower the maximum of `limit` with the setting SPACES_PAGE_CAP. */
export const SpaceListQuery = Type.Object(
  {
    ...GraphPageQuery,
    storeyId: UuidFilter,
    spaceTypeSlug: SlugFilter,
    status: Type.Optional(Type.Enum([...SPACE_STATUSES], { description: 'Returns the spaces with this status' })),
    isLeasable: Type.Optional(Type.Boolean({ description: 'true: spaces that can be leased; false: all others' })),
  },
  closed,
)
export type SpaceListQuery = Static<typeof SpaceListQuery>
export const ElementListQuery = Type.Object(
  {
    ...GraphPageQuery,
    storeyId: UuidFilter,
    spaceId: UuidFilter,
    elementTypeSlug: SlugFilter,
  },
  closed,
)
export type ElementListQuery = Static<typeof ElementListQuery>
export const PointListQuery = Type.Object(
  {
    ...GraphPageQuery,
    storeyId: UuidFilter,
    spaceId: UuidFilter,
    elementId: UuidFilter,
    pointType: Type.Optional(Type.Enum([...POINT_TYPES], { description: 'Returns the points of this type' })),
    quantityKind: nameOf(quantityKinds, 'a QUDT quantity kind of the catalog'),
    unit: nameOf(units, 'a QUDT unit of the catalog'),
  },
  closed,
)
export type PointListQuery = Static<typeof PointListQuery>
