import type { NodeKind, NodeOf } from '@storey/contract'
import type { EditEntries, Entry } from './edit-entries.ts'
import { findByCodes } from './graph-edit.store.ts'

const PREFIXES = { storey: 'STOREY', space: 'ROOM', point: 'POINT' } as const

function prefixOf(kind: NodeKind, node: NonNullable<Entry['after']>): string {
  return kind === 'element' ? (node as NodeOf['element']).elementTypeSlug.toUpperCase() : PREFIXES[kind]
}

/**
 * Gives a code to each node that has none: what it is, and a number that no other made code of the building has or
 * had. Where a client took such a code for a node of its own, the number is passed over.
 */
export async function nameCodes(edit: EditEntries, nodes: readonly [string, Entry][]): Promise<void> {
  let nameless = nodes.filter(([, { after }]) => after?.code === '').map(([id]) => id)
  const given = new Set(nodes.map(([, { after }]) => after?.code))
  while (nameless.length > 0) {
    const made = new Map<string, string>()
    for (const id of nameless) {
      const { kind, after } = edit.entries.get(id)!
      edit.head.lastCode += 1
      made.set(id, `${prefixOf(kind, after!)}-${edit.head.lastCode}`)
    }
    const found = await findByCodes(edit.tx, edit.buildingId, [...made.values()])
    const taken = new Set([...found.map(({ code }) => code), ...given])
    for (const [id, code] of made) {
      const entry = edit.entries.get(id)!
      if (!taken.has(code)) edit.entries.set(id, { ...entry, after: { ...entry.after!, code } })
    }
    nameless = nameless.filter((id) => edit.entries.get(id)!.after!.code === '')
  }
}
