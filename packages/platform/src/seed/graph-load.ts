import type { Building, Element, Point, Space, Storey } from '@storey/building'
import {
  type ElementNode,
  formatCount,
  type GraphNode,
  IFC_SOURCE,
  type NodeKind,
  type PointNode,
  progressSteps,
  type SpaceNode,
  type StoreyNode,
} from '@storey/contract'

/** The ids of the nodes of a generated building in one sandbox, and the time of their creation. */
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

/** The nodes of one kind. They are created each time `nodes` is iterated: all together would take too much memory. */
export interface KindLoad {
  kind: NodeKind
  /** The progress text for the user. */
  step: string
  count: number
  nodes: Iterable<GraphNode>
}

export function kindLoads({ storeys, spaces, elements, points }: Building, placement: Placement): KindLoad[] {
  return [
    load('storey', 'storeys', storeys, (storey) => storeyNode(storey, placement)),
    load('space', 'rooms', spaces, (space) => spaceNode(space, placement)),
    load('element', 'equipment', elements, (element) => elementNode(element, placement)),
    load('point', 'points', inOrderOfCode(points), (point) => pointNode(point, placement)),
  ]
}

/**
 * The database numbers the points in this order. The API lists points in the same order, and most clients write to
 * points in the order of the list: consecutive numbers take fewer bytes in a batch of observations (`batch-codec.ts`).
 */
const inOrderOfCode = (points: readonly Point[]): readonly Point[] =>
  points.toSorted((a, b) => (a.code < b.code ? -1 : 1))

function load<T>(
  kind: NodeKind,
  words: string,
  generated: readonly T[],
  toNode: (generated: T) => GraphNode,
): KindLoad {
  const nodes = {
    *[Symbol.iterator]() {
      for (const one of generated) yield toNode(one)
    },
  }
  return {
    kind,
    step: progressSteps.format('writing', { n: formatCount(generated.length), what: words }),
    count: generated.length,
    nodes,
  }
}

/** The identity fields of a node, the same as for nodes that are imported from a building model. */
function identity({ key, globalId, code }: SeededNode, { idOf, at }: Placement) {
  return {
    id: idOf(key),
    externalId: globalId,
    externalIds: [{ sourceSystem: IFC_SOURCE, externalId: globalId }],
    sourceSystem: IFC_SOURCE,
    code,
    createdAt: at,
    updatedAt: at,
  }
}

function storeyNode(storey: Storey, placement: Placement): StoreyNode {
  const { name, index, elevationM, areaSqm, plate } = storey
  return { ...identity(storey, placement), name, index, elevationM, areaSqm, polygon: plate }
}

function spaceNode(space: Space, placement: Placement): SpaceNode {
  const { name, spaceType, areaSqm, status, isLeasable, capacity, polygon } = space
  const storeyId = placement.idOf(space.storeyKey)
  return {
    ...identity(space, placement),
    storeyId,
    name,
    spaceTypeSlug: spaceType,
    areaSqm,
    status,
    isLeasable,
    capacity,
    polygon,
  }
}

function elementNode(element: Element, placement: Placement): ElementNode {
  const { idOf } = placement
  const { spaceKey, storeyKey, name, elementType, status, serves } = element
  return {
    ...identity(element, placement),
    spaceId: spaceKey === null ? null : idOf(spaceKey),
    storeyId: spaceKey === null ? idOf(storeyKey) : null,
    name,
    elementTypeSlug: elementType,
    status,
    serves: serves.map(idOf).sort(),
  }
}

function pointNode(point: Point, placement: Placement): PointNode {
  const { name, pointType, quantityKind, unit } = point
  const elementId = placement.idOf(point.elementKey)
  return { ...identity(point, placement), elementId, name, pointType, quantityKind, unit }
}
