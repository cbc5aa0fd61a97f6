import type { Graph } from '@storey/sdk'
import { replaceEqualDeep } from '@storey/web'

/**
 * A graph in which every node that is as it was before is the very same object, so that what shows it is not drawn anew
 * for a change elsewhere.
 */
export function keepingSame(before: Graph | undefined, after: Graph): Graph {
  if (!before) return after
  return {
    ...after,
    storeys: sameNodes(before.storeys, after.storeys),
    spaces: sameNodes(before.spaces, after.spaces),
    elements: sameNodes(before.elements, after.elements),
    points: sameNodes(before.points, after.points),
  }
}

/** Those of after, each of them the one of before where it says the same. */
export function sameNodes<T extends { id: string }>(before: readonly T[], after: readonly T[]): T[] {
  const known = new Map(before.map((node) => [node.id, node]))
  return after.map((node) => {
    const old = known.get(node.id)
    return old ? replaceEqualDeep(old, node) : node
  })
}

/** The list of before where it holds the very same. */
export const sameList = <T>(before: readonly T[] | undefined, after: readonly T[]): readonly T[] =>
  before?.length === after.length && before.every((one, i) => one === after[i]) ? before : after
