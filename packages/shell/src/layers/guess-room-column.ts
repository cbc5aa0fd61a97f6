import type { SpaceNode } from '@storey/sdk'
import { type FindNode, NODE_KEYS, type NodeKey } from '../table-input/find-nodes.ts'
import type { TextRow } from '../table-input/parse-table.ts'

/** The column and the kind of identifier by which the most rows match a room; undefined if no row does. */
export function guessRoomColumn(
  rows: readonly TextRow[],
  finders: Record<NodeKey, FindNode<SpaceNode>>,
): { column: number; key: NodeKey; matches: number } | undefined {
  const columns = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  let best: { column: number; key: NodeKey; matches: number } | undefined
  for (let column = 0; column < columns; column++) {
    for (const key of NODE_KEYS) {
      const matches = rows.filter(({ cells }) => finders[key](cells[column] ?? '')).length
      if (matches > (best?.matches ?? 0)) best = { column, key, matches }
    }
  }
  return best
}
