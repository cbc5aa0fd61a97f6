import type { NodeKind, NodeOf } from '@storey/contract'
import type { EditEntries, Entry } from './edit-entries.ts'
import { findByCodes } from './graph-edit.store.ts'

const PREFIXES = { storey: 'STOREY', space: 'ROOM', point: 'POINT' } as const

function prefixOf(kind: NodeKind, node: NonNullable<Entry['after']>): string {
  return kind === 'element' ? (node as NodeOf['element']).elementTypeSlug.toUpperCase() : PREFIXES[kind]
}

type Candidate = { number: number; code: string }

/**
 * Generates a code for each node that has none: a prefix for its kind or element type, and a number that no other
 * generated code of the building has or had. A code that a client has already used is skipped. Each query asks for
 * twice as many codes per node as the one before, because a client may have used thousands of consecutive numbers.
 */
export async function generateCodes(edit: EditEntries, nodes: readonly [string, Entry][]): Promise<void> {
  const given = new Set(nodes.map(([, { after }]) => after?.code))
  let withoutCode = nodes.filter(([, { after }]) => after?.code === '').map(([id]) => id)
  for (let perNode = 1; withoutCode.length > 0; perNode *= 2) {
    const candidates = new Map(withoutCode.map((id, i) => [id, candidatesOf(edit, id, i, withoutCode.length, perNode)]))
    const codes = [...candidates.values()].flat().map(({ code }) => code)
    const taken = new Set([...(await findByCodes(edit.tx, edit.buildingId, codes)).map(({ code }) => code), ...given])
    let lastCode = edit.head.lastCode
    withoutCode = []
    for (const [id, list] of candidates) {
      const free = list.find(({ code }) => !taken.has(code))
      lastCode = Math.max(lastCode, (free ?? list.at(-1)!).number)
      if (free === undefined) withoutCode.push(id)
      else edit.amend({ ...edit.entries.get(id)!.after!, code: free.code })
    }
    edit.head.lastCode = lastCode
  }
}

/** `perNode` codes for the node at index `i` of `count` nodes. No other of these nodes has one of their numbers. */
function candidatesOf(edit: EditEntries, id: string, i: number, count: number, perNode: number): Candidate[] {
  const { kind, after } = edit.entries.get(id)!
  const prefix = prefixOf(kind, after!)
  return Array.from({ length: perNode }, (_, turn) => {
    const number = edit.head.lastCode + 1 + turn * count + i
    return { number, code: `${prefix}-${number}` }
  })
}
