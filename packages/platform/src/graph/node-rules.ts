/** Rules for a single node. They hold for every request and import that writes nodes. The edit validates references. */
import {
  elementType,
  elementTypes,
  type GraphNode,
  type NewNode,
  type NodeKind,
  type NodeOf,
  type NodePatch,
  problems,
  quantityKind,
  quantityKinds,
  spaceType,
  spaceTypes,
  unitsOf,
} from '@storey/contract'
import { checkSourceSystem } from './source-system.ts'

/** The fields of a new node of each kind, except those of `IDENTITY`. The validation of the edit adds missing codes. */
const NEW_FIELDS: { [K in NodeKind]: (body: NewNode[K]) => Omit<NodeOf[K], keyof typeof IDENTITY> } = {
  storey: ({ name, index, elevationM, areaSqm, polygon }) => ({
    name,
    index,
    elevationM: elevationM ?? null,
    areaSqm: areaSqm ?? null,
    polygon: polygon ?? null,
  }),
  space: (body) => ({
    storeyId: body.storeyId.toLowerCase(),
    name: body.name,
    spaceTypeSlug: body.spaceTypeSlug,
    areaSqm: body.areaSqm ?? null,
    status: body.status ?? 'active',
    isLeasable: body.isLeasable ?? spaceType(body.spaceTypeSlug)?.leasable ?? false,
    capacity: body.capacity ?? null,
    polygon: body.polygon ?? null,
  }),
  element: ({ name, elementTypeSlug, spaceId, storeyId, status, serves }) => ({
    spaceId: spaceId?.toLowerCase() ?? null,
    storeyId: storeyId?.toLowerCase() ?? null,
    name,
    elementTypeSlug,
    status: status ?? 'active',
    serves: sortedIds(serves ?? []),
  }),
  point: (body) => ({
    elementId: body.elementId.toLowerCase(),
    name: body.name,
    pointType: body.pointType,
    quantityKind: body.quantityKind,
    unit: body.unit,
  }),
}

const IDENTITY = {
  id: '',
  externalId: null as string | null,
  externalIds: [] as GraphNode['externalIds'],
  sourceSystem: null as string | null,
  code: '',
  createdAt: '',
  updatedAt: '',
}

export function freshNode<K extends NodeKind>(kind: K, id: string, body: NewNode[K]): NodeOf[K] {
  const { externalId, sourceSystem, code } = body as NewNode['storey']
  const externalIds = initialExternalIds(externalId, sourceSystem)
  const identity = { ...IDENTITY, id, externalId: externalId ?? null, externalIds, sourceSystem: sourceSystem ?? null }
  const node = { ...identity, code: code ?? '', ...NEW_FIELDS[kind](body) } as unknown as NodeOf[K]
  if (kind === 'element' && hasNoPlace(node as NodeOf['element'])) throw placeRequired()
  checkNode(kind, node)
  return node
}

function initialExternalIds(externalId?: string, sourceSystem?: string): GraphNode['externalIds'] {
  if (externalId === undefined && sourceSystem === undefined) return []
  if (sourceSystem === undefined) throw problems.field('sourceSystem', 'sourceSystem is required with an externalId')
  if (externalId === undefined) throw problems.field('externalId', 'externalId is required with a sourceSystem')
  checkSourceSystem(sourceSystem)
  return [{ sourceSystem, externalId }]
}

/** The node with the fields of a patch. */
export function patchedNode<K extends NodeKind>(kind: K, node: NodeOf[K], patch: NodePatch[K]): NodeOf[K] {
  const changed = { ...node, ...normalized(kind, node, patch) }
  checkNode(kind, changed)
  return changed
}

function normalized<K extends NodeKind>(kind: K, node: NodeOf[K], patch: NodePatch[K]): Partial<NodeOf[K]> {
  if (kind === 'element')
    return elementPatch(node as NodeOf['element'], patch as NodePatch['element']) as Partial<NodeOf[K]>
  const lowered = { ...patch } as Record<string, unknown>
  for (const name of ['storeyId', 'elementId']) {
    if (typeof lowered[name] === 'string') lowered[name] = lowered[name].toLowerCase()
  }
  return lowered as Partial<NodeOf[K]>
}

function elementPatch(
  element: NodeOf['element'],
  { spaceId, storeyId, serves, ...rest }: NodePatch['element'],
): Partial<NodeOf['element']> {
  const changed: Partial<NodeOf['element']> = { ...rest, ...placed(element, { spaceId, storeyId }) }
  if (serves !== undefined) changed.serves = sortedIds(serves)
  return changed
}

type Place = Pick<NodeOf['element'], 'spaceId' | 'storeyId'>

/**
 * If a patch sets only the space, the storey becomes null, and if it sets only the storey, the space becomes null.
 * Clearing a place that was not set changes nothing. An element that is removed from its space gets the storey of that
 * space at validation.
 */
function placed(element: Place, { spaceId, storeyId }: { [K in keyof Place]: Place[K] | undefined }): Place {
  if (spaceId || storeyId) return { spaceId: spaceId?.toLowerCase() ?? null, storeyId: storeyId?.toLowerCase() ?? null }
  const leavesStorey = storeyId === null && (spaceId === null || element.storeyId !== null)
  if (leavesStorey && !hasNoPlace(element)) throw placeRequired()
  const leavesSpace = spaceId === null && element.spaceId !== null
  return leavesSpace ? { spaceId: null, storeyId: null } : { spaceId: element.spaceId, storeyId: element.storeyId }
}

const hasNoPlace = ({ spaceId, storeyId }: Place) => spaceId === null && storeyId === null
const placeRequired = () =>
  problems.field('spaceId', 'spaceId or storeyId is required: an element is in a space or on a storey')

const sortedIds = (ids: readonly string[]) => [...new Set(ids.map((id) => id.toLowerCase()))].sort()

function checkNode(kind: NodeKind, node: GraphNode): void {
  if (kind === 'space') checkSpaceType((node as NodeOf['space']).spaceTypeSlug)
  if (kind === 'element') checkElement(node as NodeOf['element'])
  if (kind === 'point') checkQuantity(node as NodeOf['point'])
}

function checkSpaceType(slug: string): void {
  if (spaceType(slug)) return
  const validValues = spaceTypes.map((type) => type.slug)
  throw problems.invalidValue(
    'spaceTypeSlug',
    `spaceTypeSlug ${slug} is not in the catalog of space types (GET /api/v1/catalogs/space-types)`,
    validValues,
  )
}

function checkElement({ elementTypeSlug, serves, id }: NodeOf['element']): void {
  if (!elementType(elementTypeSlug)) {
    const detail = `elementTypeSlug ${elementTypeSlug} is not in the catalog of element types (GET /api/v1/catalogs/element-types)`
    const validValues = elementTypes.map((type) => type.slug)
    throw problems.invalidValue('elementTypeSlug', detail, validValues)
  }
  if (serves.includes(id)) throw problems.field('serves', 'serves contains the element itself')
}

function checkQuantity(point: NodeOf['point']): void {
  if (!quantityKind(point.quantityKind)) {
    const validValues = quantityKinds.map((kind) => kind.name)
    const detail = `quantityKind ${point.quantityKind} is not in the catalog of quantity kinds (GET /api/v1/catalogs/quantity-kinds)`
    throw problems.invalidValue('quantityKind', detail, validValues)
  }
  const units = unitsOf(point.quantityKind)
  if (units.includes(point.unit)) return
  const detail = `unit ${point.unit} does not fit ${point.quantityKind}: use ${units.join(', ')}`
  throw problems.invalidValue('unit', detail, units)
}
