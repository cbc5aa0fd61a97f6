import type { BuildingRecord, ElementNode, Graph, PointNode, SpaceNode, StoreyNode } from '@storey/sdk'
import { reuseList } from './reuse-nodes.ts'

/** The graph of a building, with lookups between its nodes. */
export interface BuildingModel {
  building: BuildingRecord
  revision: number
  /** Lowest first. */
  storeys: readonly StoreyNode[]
  spaces: readonly SpaceNode[]
  elements: readonly ElementNode[]
  points: readonly PointNode[]
  storey(id: string): StoreyNode | undefined
  space(id: string): SpaceNode | undefined
  element(id: string): ElementNode | undefined
  point(id: string): PointNode | undefined
  spacesOf(storeyId: string): readonly SpaceNode[]
  /** The equipment in a room. */
  elementsOf(spaceId: string): readonly ElementNode[]
  /** The equipment that feeds a room and is not in that room. */
  serving(spaceId: string): readonly ElementNode[]
  /** All equipment that feeds an element or a room, including equipment in that room. */
  feeding(nodeId: string): readonly ElementNode[]
  pointsOf(elementId: string): readonly PointNode[]
  pointsIn(spaceId: string): readonly PointNode[]
  /** The room of an element or a point; undefined if it is in no room, for example because it serves a whole storey. */
  spaceOf(nodeId: string): SpaceNode | undefined
  storeyOf(nodeId: string): StoreyNode | undefined
}

const NONE: readonly never[] = []

/** If the spaces of a storey did not change, `spacesOf` returns the same list object as in `before`. */
export function modelOf(building: BuildingRecord, graph: Graph, before?: BuildingModel): BuildingModel {
  const storeys = graph.storeys.toSorted((a, b) => a.index - b.index)
  const storey = byId(storeys)
  const space = byId(graph.spaces)
  const element = byId(graph.elements)
  const point = byId(graph.points)
  const spacesOf = new Map<string, readonly SpaceNode[]>()
  for (const [id, spaces] of Map.groupBy(graph.spaces, ({ storeyId }) => storeyId)) {
    spacesOf.set(id, reuseList(before?.spacesOf(id), spaces))
  }
  const elementsOf = Map.groupBy(graph.elements, ({ spaceId }) => spaceId)
  const pointsOf = Map.groupBy(graph.points, ({ elementId }) => elementId)
  const feeding = new Map<string, ElementNode[]>()
  for (const feeder of graph.elements) {
    for (const fed of feeder.serves) {
      const feeders = feeding.get(fed)
      if (feeders) feeders.push(feeder)
      else feeding.set(fed, [feeder])
    }
  }
  const serving = new Map<string, readonly ElementNode[]>()
  for (const [id, feeders] of feeding) {
    if (space.has(id))
      serving.set(
        id,
        feeders.filter(({ spaceId }) => spaceId !== id),
      )
  }

  const elementAt = (nodeId: string) => element.get(point.get(nodeId)?.elementId ?? nodeId)
  const spaceOf = (nodeId: string) => space.get(elementAt(nodeId)?.spaceId ?? nodeId)
  return {
    building,
    revision: graph.revision,
    storeys,
    spaces: graph.spaces,
    elements: graph.elements,
    points: graph.points,
    storey: (id) => storey.get(id),
    space: (id) => space.get(id),
    element: (id) => element.get(id),
    point: (id) => point.get(id),
    spacesOf: (id) => spacesOf.get(id) ?? NONE,
    elementsOf: (id) => elementsOf.get(id) ?? NONE,
    serving: (id) => serving.get(id) ?? NONE,
    feeding: (id) => feeding.get(id) ?? NONE,
    pointsOf: (id) => pointsOf.get(id) ?? NONE,
    pointsIn: (id) => (elementsOf.get(id) ?? []).flatMap((e) => pointsOf.get(e.id) ?? []),
    spaceOf,
    storeyOf: (id) => storey.get(spaceOf(id)?.storeyId ?? elementAt(id)?.storeyId ?? id),
  }
}

const byId = <T extends { id: string }>(nodes: readonly T[]): Map<string, T> => new Map(nodes.map((n) => [n.id, n]))
