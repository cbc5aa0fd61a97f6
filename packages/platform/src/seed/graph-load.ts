import type { Building, Element, Point, Space, Storey } from '@storey/building'
import type { NodeKind } from '@storey/contract'
import type { Cell } from './copy.ts'

/** The identities a generated building gets in one sandbox, and the moment it comes to be. */
export interface Placement {
  organizationId: string
  idOf(key: string): string
  at: string
}

interface SeededNode {
  key: string
  globalId: string
  code: string
}

/** How the nodes of one kind become rows of its table. */
export interface KindLoad {
  kind: NodeKind
  /** What a person who waits is told. */
  step: string
  nodes: readonly SeededNode[]
  table: string
  /** The columns that only this kind has, and what a node has in them. */
  columns: readonly string[]
  records(): Iterable<{ node: SeededNode; cells: Cell[] }>
}

export function kindLoads({ storeys, spaces, elements, points }: Building, placement: Placement): KindLoad[] {
  return [
    storeyLoad(storeys),
    spaceLoad(spaces, placement),
    elementLoad(elements, placement),
    pointLoad(points, placement),
  ]
}

function storeyLoad(storeys: Storey[]): KindLoad {
  return {
    kind: 'storey',
    step: `Writing ${count(storeys)} storeys`,
    nodes: storeys,
    table: 'storeys',
    columns: ['name', 'index', 'elevation_m', 'area_sqm', 'polygon'],
    records: () => records(storeys, (s) => [s.name, s.index, s.elevationM, s.areaSqm, s.plate]),
  }
}

function spaceLoad(spaces: Space[], { idOf }: Placement): KindLoad {
  return {
    kind: 'space',
    step: `Writing ${count(spaces)} rooms`,
    nodes: spaces,
    table: 'spaces',
    columns: ['storey_id', 'name', 'space_type', 'area_sqm', 'status', 'is_leasable', 'capacity', 'polygon'],
    records: () =>
      records(spaces, (s) => {
        const { name, spaceType, areaSqm, status, isLeasable, capacity, polygon } = s
        return [idOf(s.storeyKey), name, spaceType, areaSqm, status, isLeasable, capacity, polygon]
      }),
  }
}

function elementLoad(elements: Element[], { idOf }: Placement): KindLoad {
  return {
    kind: 'element',
    step: `Writing ${count(elements)} pieces of equipment`,
    nodes: elements,
    table: 'elements',
    columns: ['space_id', 'storey_id', 'name', 'element_type', 'status'],
    records: () =>
      records(elements, ({ spaceKey, storeyKey, name, elementType, status }) => {
        const place = spaceKey === null ? [null, idOf(storeyKey)] : [idOf(spaceKey), null]
        return [...place, name, elementType, status]
      }),
  }
}

function pointLoad(points: Point[], { idOf }: Placement): KindLoad {
  return {
    kind: 'point',
    step: `Writing ${count(points)} points`,
    nodes: points,
    table: 'points',
    columns: ['element_id', 'name', 'point_type', 'quantity_kind', 'unit'],
    records: () => records(points, (p) => [idOf(p.elementKey), p.name, p.pointType, p.quantityKind, p.unit]),
  }
}

export function* servesRows({ elements }: Building, { idOf }: Placement): Generator<Cell[]> {
  for (const { key, serves } of elements) for (const target of serves) yield [idOf(key), idOf(target)]
}

function* records<T extends SeededNode>(nodes: readonly T[], cells: (node: T) => Cell[]) {
  for (const node of nodes) yield { node, cells: cells(node) }
}

function count(nodes: readonly SeededNode[]): string {
  return nodes.length.toLocaleString('en')
}
