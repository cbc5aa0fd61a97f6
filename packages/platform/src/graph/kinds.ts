import type { GraphNode, NodeKind, NodeOf } from '@storey/contract'
import type { Cell } from '@storey/kit/database'

/** The kinds of node, parents first: the order of inserts. Deletes run in reverse. */
export const KINDS_IN_ORDER = ['storey', 'space', 'element', 'point'] as const satisfies readonly NodeKind[]

export const TABLES = { storey: 'storeys', space: 'spaces', element: 'elements', point: 'points' } as const

const SHARED_COLUMNS = ['id', 'building_id', 'code', 'external_ids', 'created_at', 'updated_at'] as const

const OWN_COLUMNS: { [K in NodeKind]: readonly string[] } = {
  storey: ['name', 'index', 'elevation_m', 'area_sqm', 'polygon'],
  space: ['storey_id', 'name', 'space_type', 'area_sqm', 'status', 'is_leasable', 'capacity', 'polygon'],
  element: ['space_id', 'storey_id', 'name', 'element_type', 'status', 'serves'],
  point: ['element_id', 'name', 'point_type', 'quantity_kind', 'unit'],
}

const OWN_CELLS: { [K in NodeKind]: (node: NodeOf[K]) => Cell[] } = {
  storey: (n) => [n.name, n.index, n.elevationM, n.areaSqm, n.polygon],
  space: (n) => [n.storeyId, n.name, n.spaceTypeSlug, n.areaSqm, n.status, n.isLeasable, n.capacity, n.polygon],
  element: (n) => [n.spaceId, n.storeyId, n.name, n.elementTypeSlug, n.status, n.serves],
  point: (n) => [n.elementId, n.name, n.pointType, n.quantityKind, n.unit],
}

/** The columns of a kind's table that a node fills, in the order in which `cellsOf` returns their values. */
export const columnsOf = (kind: NodeKind): readonly string[] => [...SHARED_COLUMNS, ...OWN_COLUMNS[kind]]

/** A node as the row of its kind's table. */
export function cellsOf<K extends NodeKind>(kind: K, node: NodeOf[K], buildingId: string): Cell[] {
  const { id, code, externalIds, createdAt, updatedAt } = node
  return [id, buildingId, code, externalIds, createdAt, updatedAt, ...OWN_CELLS[kind](node)]
}

/**
 * The parents of a node, which must exist. `field` is the field of the node that contains the id of the parent, and
 * `kinds` are the kinds that the parent may have.
 */
export function parentsOf(
  kind: NodeKind,
  node: GraphNode,
): { field: string; id: string; kinds: readonly NodeKind[] }[] {
  if (kind === 'space') return [{ field: 'storeyId', id: (node as NodeOf['space']).storeyId, kinds: ['storey'] }]
  if (kind === 'point') return [{ field: 'elementId', id: (node as NodeOf['point']).elementId, kinds: ['element'] }]
  if (kind === 'storey') return []
  const { spaceId, storeyId } = node as NodeOf['element']
  if (spaceId !== null) return [{ field: 'spaceId', id: spaceId, kinds: ['space'] }]
  return storeyId === null ? [] : [{ field: 'storeyId', id: storeyId, kinds: ['storey'] }]
}
