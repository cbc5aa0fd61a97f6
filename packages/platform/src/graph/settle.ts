import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ExternalId, type GraphNode, type NodeKind, type NodeOf, type Problem, problems } from '@storey/contract'
import type { EditEntries, Entry } from './edit-entries.ts'
import { findByCodes, findByExternalIds, findChildren, findFeeders } from './graph-edit.store.ts'
import { parentsOf } from './kinds.ts'
import { nameCodes } from './made-codes.ts'

/** Why an edit cannot be written. */
export interface Fault {
  /** The node that asks for what cannot be. */
  nodeId: string
  field: string
  detail: string
  pointer: string
  /** Nodes in the way: then it is a conflict with what is there. None: the request itself is at fault. */
  nodeIds: string[]
}

const MOST_FAULTS = 20
/** An edit of so many nodes lets others be answered between its steps. */
const LARGE = 5_000

/** A refusal of what was asked for, or, where only others are in the way, a conflict with them. */
export function problemOf(faults: readonly Fault[]): Problem {
  const invalid = faults.filter(({ nodeIds }) => nodeIds.length === 0)
  if (invalid.length > 0) {
    return problems.validation(
      invalid
        .slice(0, MOST_FAULTS)
        .map(({ pointer, field, detail }) => ({ pointer: `${pointer}/${field}`, in: 'body', detail })),
    )
  }
  const nodeIds = [...new Set(faults.flatMap((fault) => fault.nodeIds))]
  return problems.nodeConflict(faults[0]!.field, faults[0]!.detail, nodeIds)
}

type Changed = [id: string, entry: Entry & { after: GraphNode }]

const changedIn = (edit: EditEntries): Changed[] =>
  [...edit.entries].filter((e): e is Changed => e[1].after !== null && e[1].after !== e[1].before)

/** Settles what the nodes of an edit say of each other and of the rest of the building. */
export async function settle(edit: EditEntries): Promise<Fault[]> {
  const breathe = () => (edit.entries.size > LARGE ? nextTurn() : undefined)
  const faults: Fault[] = []
  const changed = changedIn(edit)
  const removed = [...edit.entries].filter(([, entry]) => entry.after === null && entry.before !== null)
  await edit.load(
    changed.flatMap(([, { kind, after, before }]) => [...namedBy(kind, after), ...roomLeft(kind, before)]),
  )
  for (const [id, entry] of changed) {
    faults.push(...checkParents(edit, id, entry), ...checkServes(edit, id, entry))
  }
  await breathe()
  await dropFeeds(
    edit,
    removed.filter(([, { kind }]) => kind === 'element' || kind === 'space').map(([id]) => id),
  )
  faults.push(...(await checkChildren(edit, removed)))

  await breathe()
  dropRepeats(edit)
  await breathe()
  await nameCodes(edit, changedIn(edit))
  // Asked for again: the entries that were given a code are new ones.
  const left = changedIn(edit)
  faults.push(...(await checkCodes(edit, left)), ...(await checkExternalIds(edit, left)))
  stamp(edit, left)
  return faults
}

function namedBy(kind: NodeKind, node: GraphNode): string[] {
  const parents = parentsOf(kind, node).map(({ id }) => id)
  if (kind !== 'element') return parents
  const { storeyId, serves } = node as NodeOf['element']
  return [...parents, ...(storeyId === null ? [] : [storeyId]), ...serves]
}

/** The room an element stood in: it tells the storey on which one stays that is taken out of it. */
function roomLeft(kind: NodeKind, before: GraphNode | null): string[] {
  const spaceId = kind === 'element' ? (before as NodeOf['element'] | null)?.spaceId : null
  return spaceId ? [spaceId] : []
}

function checkParents(
  edit: EditEntries,
  nodeId: string,
  { kind, after, before, pointer, verbatim }: Changed[1],
): Fault[] {
  const fault = (field: string, detail: string): Fault => ({ nodeId, field, detail, pointer, nodeIds: [] })
  for (const { field, id, kinds } of parentsOf(kind, after)) {
    const parent = edit.entries.get(id)
    const there = parent !== undefined && parent.after !== null && kinds.includes(parent.kind)
    if (!there) return [fault(field, `${field} names no ${kinds[0]} of this building`)]
  }
  if (kind !== 'element') return []
  const element = after as NodeOf['element']
  if (element.spaceId === null && element.storeyId === null) {
    const was = before as NodeOf['element'] | null
    // Taken out of its room, an element stays on the storey, also when the room goes.
    if (!verbatim && was !== null && was.spaceId !== null) {
      const room = edit.entries.get(was.spaceId)!
      edit.amend({ ...element, storeyId: ((room.after ?? room.before) as NodeOf['space']).storeyId })
    }
    return []
  }
  if (element.spaceId === null || element.storeyId === null) return []
  if (edit.get('space', element.spaceId)!.storeyId !== element.storeyId) {
    return [fault('storeyId', 'storeyId is not the storey of the space: name the space alone')]
  }
  edit.amend({ ...element, storeyId: null })
  return []
}

function checkServes(edit: EditEntries, nodeId: string, { kind, after, before, pointer }: Changed[1]): Fault[] {
  if (kind !== 'element') return []
  // What it fed before and is no more goes in this edit, and is dropped with it.
  const fed = new Set((before as NodeOf['element'] | null)?.serves)
  const strangers = (after as NodeOf['element']).serves.filter(
    (id) => !edit.get('element', id) && !edit.get('space', id) && !fed.has(id),
  )
  if (strangers.length === 0) return []
  const detail = `serves names no element or space of this building: ${strangers.slice(0, 10).join(', ')}`
  return [{ nodeId, field: 'serves', detail, pointer, nodeIds: [] }]
}

/** What fed a node that goes feeds it no more. */
async function dropFeeds(edit: EditEntries, removed: readonly string[]): Promise<void> {
  const gone = new Set(removed)
  await edit.load(await findFeeders(edit.tx, edit.buildingId, removed))
  for (const { kind, after } of edit.entries.values()) {
    if (kind !== 'element' || after === null) continue
    const element = after as NodeOf['element']
    const serves = element.serves.filter((target) => !gone.has(target))
    if (serves.length < element.serves.length) edit.amend({ ...element, serves })
  }
}

async function checkChildren(edit: EditEntries, removed: readonly [string, Entry][]): Promise<Fault[]> {
  const gone = new Set(removed.map(([id]) => id))
  const inTheWay = new Map<string, string[]>()
  const note = (parentId: string, childId: string) =>
    inTheWay.set(parentId, [...(inTheWay.get(parentId) ?? []), childId])
  for (const { id, parentId } of await findChildren(edit.tx, [...gone])) {
    if (!edit.entries.has(id)) note(parentId, id)
  }
  for (const [id, { kind, after }] of edit.entries) {
    if (after === null) continue
    for (const parent of parentsOf(kind, after)) if (gone.has(parent.id)) note(parent.id, id)
  }
  return [...inTheWay].map(([parentId, children]) => {
    const { kind, pointer } = edit.entries.get(parentId)!
    const more = children.length === 1 ? 'a node below it' : `${children.length} nodes below it`
    return { nodeId: parentId, field: 'id', detail: `The ${kind} still has ${more}`, pointer, nodeIds: [parentId] }
  })
}

/** What says the same as before is no change, whatever was asked. */
function dropRepeats(edit: EditEntries): void {
  const changed = new Set(edit.changes().map(({ nodeId }) => nodeId))
  for (const [id, entry] of edit.entries) {
    if (entry.before !== null && !changed.has(id)) edit.entries.set(id, { ...entry, after: entry.before })
  }
}

async function checkCodes(edit: EditEntries, left: readonly Changed[]): Promise<Fault[]> {
  const wanted = left.filter(([, { before, after }]) => before?.code !== after.code)
  const asking = new Set(wanted.map(([id]) => id))
  const holders = new Map<string, string>()
  for (const { id, code } of await findByCodes(
    edit.tx,
    edit.buildingId,
    wanted.map(([, { after }]) => after.code),
  )) {
    // Those that the edit knows are asked for what they will be, not for what they were.
    if (!edit.entries.has(id)) holders.set(code, id)
  }
  for (const [id, { after }] of edit.entries) {
    if (after !== null && !asking.has(id)) holders.set(after.code, id)
  }
  return wanted.flatMap(([nodeId, { after, pointer }]) => {
    const holder = holders.get(after.code)
    if (holder === undefined) holders.set(after.code, nodeId)
    if (holder === undefined || holder === nodeId) return []
    return [
      { nodeId, field: 'code', detail: `code ${after.code} is taken in this building`, pointer, nodeIds: [holder] },
    ]
  })
}

async function checkExternalIds(edit: EditEntries, left: readonly Changed[]): Promise<Fault[]> {
  const wanted = left.flatMap(([, { after }]) => after.externalIds)
  const holders = new Map<string, string>()
  for (const row of await findByExternalIds(edit.tx, edit.buildingId, wanted)) {
    if (!edit.entries.has(row.nodeId)) holders.set(keyOf(row), row.nodeId)
  }
  const faults: Fault[] = []
  for (const [nodeId, { after, pointer }] of edit.entries) {
    for (const pair of after?.externalIds ?? []) {
      const holder = holders.get(keyOf(pair))
      if (holder === undefined) holders.set(keyOf(pair), nodeId)
      else if (holder !== nodeId) faults.push(takenExternalId(nodeId, pair, pointer, holder))
    }
  }
  return faults
}

export const keyOf = ({ sourceSystem, externalId }: ExternalId) => `${sourceSystem}\n${externalId}`

function takenExternalId(nodeId: string, pair: ExternalId, pointer: string, holder: string): Fault {
  const detail = `externalId ${pair.externalId} of ${pair.sourceSystem} is taken in this building`
  return { nodeId, field: 'externalId', detail, pointer, nodeIds: [holder] }
}

function stamp(edit: EditEntries, left: readonly Changed[]): void {
  const at = edit.at.toISOString()
  for (const [id] of left) {
    const entry = edit.entries.get(id)!
    if (entry.verbatim || entry.after === null) continue
    const createdAt = entry.before?.createdAt ?? at
    edit.entries.set(id, { ...entry, after: { ...entry.after, createdAt, updatedAt: at } })
  }
}
