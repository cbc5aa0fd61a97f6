import type { Graph } from '@storey/sdk'
import { replaceEqualDeep } from '@storey/web'

/** Reuses the node objects that did not change, so that components that show them do not render again. */
export function reuseNodes(before: Graph | undefined, after: Graph): Graph {
  if (!before) return after
  return {
    ...after,
    storeys: reuseEqualNodes(before.storeys, after.storeys),
    spaces: reuseEqualNodes(before.spaces, after.spaces),
    elements: reuseEqualNodes(before.elements, after.elements),
    points: reuseEqualNodes(before.points, after.points),
  }
}

/** The nodes of `after`, with the object of `before` for each equal node. */
export function reuseEqualNodes<T extends { id: string }>(before: readonly T[], after: readonly T[]): T[] {
  const known = new Map(before.map((node) => [node.id, node]))
  return after.map((node) => {
    const old = known.get(node.id)
    return old ? replaceEqualDeep(old, node) : node
  })
}

/** Returns `before` if it contains the same objects as `after`, in the same order. */
export const reuseList = <T>(before: readonly T[] | undefined, after: readonly T[]): readonly T[] =>
  before?.length === after.length && before.every((one, i) => one === after[i]) ? before : after
