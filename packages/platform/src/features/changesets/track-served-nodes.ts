import type { NodeOf } from '@storey/contract'
import type { GraphEdit } from '../../graph/index.ts'

/**
 * Tracks which elements of an edit serve which nodes, so that deleting a node also removes its id from `serves` of
 * these elements. If a later operation makes an element serve the deleted node, validation reports an error, or removes
 * the id if the element served the node before the edit.
 */
export function trackServedNodes(edit: GraphEdit) {
  const feedersOf = new Map<string, Set<string>>()
  const note = ({ id, serves }: NodeOf['element']) => {
    for (const target of serves) {
      const feeders = feedersOf.get(target)
      if (feeders) feeders.add(id)
      else feedersOf.set(target, new Set([id]))
    }
  }
  for (const { kind, after } of edit.entries.values()) if (kind === 'element' && after) note(after as NodeOf['element'])
  return {
    note,
    removed(target: string) {
      for (const id of feedersOf.get(target) ?? []) {
        const feeder = edit.get('element', id)
        if (feeder) edit.amend({ ...feeder, serves: feeder.serves.filter((fed) => fed !== target) })
      }
    },
  }
}
