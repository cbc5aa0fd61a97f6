import type { NodeKind, NodeOf } from '@storey/contract'
import type { EditEntries, Entry } from './edit-entries.ts'
import { findByCodes } from './graph-edit.store.ts'

const PREFIXES = { storey: 'STOREY', space: 'ROOM', point: 'POINT' } as const

function prefixOf(kind: NodeKind, node: NonNullable<Entry['after']>): string {
  return kind === 'element' ? (node as NodeOf['element']).elementTypeSlug.toUpperCase() : PREFIXES[kind]
}

/**
 * Generates a code for each node that has none: a prefix for its kind or element type, and a number that no other
 * generated code of the building has or had. A code that a client has already used is skipped.
 */
export async function generateCodes(edit: EditEntries, nodes: readonly [string, Entry][]): Promise<void> {
  let withoutCode = nodes.filter(([, { after }]) => after?.code === '').map(([id]) => id)
  const given = new Set(nodes.map(([, { after }]) => after?.code))
  while (withoutCode.length > 0) {
    const made = new Map<string, string>()
    for (const id of withoutCode) {
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
    withoutCode = withoutCode.filter((id) => edit.entries.get(id)!.after!.code === '')
  }
}
