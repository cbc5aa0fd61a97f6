import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ExternalId, type GraphNode, type NodeKind, type NodeOf, type Problem, problems } from '@storey/contract'
import type { EditEntries, Entry } from './edit-entries.ts'
import { generateCodes } from './generated-codes.ts'
import { findByCodes, findByExternalIds, findChildren, findFeeders } from './graph-edit.store.ts'
import { parentsOf } from './kinds.ts'

/** Why an edit cannot be written. */
export interface Violation {
  /** The node whose change is refused. */
  nodeId: string
  field: string
  detail: string
  pointer: string
  /**
   * The nodes that the change conflicts with: those with the same code or external id, or the node itself if nodes
   * below it remain. Empty if the request itself is invalid.
   */
  nodeIds: string[]
}

/** An edit with more nodes than this yields to other requests between its checks. */
const LARGE_EDIT_NODES = 5_000

/** VALIDATION_FAILED if the request is invalid, otherwise CONFLICT with the conflicting nodes. */
export function problemOf(violations: readonly Violation[]): Problem {
  const invalid = violations.filter(({ nodeIds }) => nodeIds.length === 0)
  if (invalid.length > 0) {
    return problems.validation(
      invalid.map(({ pointer, field, detail }) => ({ pointer: `${pointer}/${field}`, in: 'body', detail })),
    )
  }
  const nodeIds = [...new Set(violations.flatMap((violation) => violation.nodeIds))]
  return problems.nodeConflict(violations[0]!.field, violations[0]!.detail, nodeIds)
}

type Changed = [id: string, entry: Entry & { after: GraphNode }]

const changedIn = (edit: EditEntries): Changed[] =>
  [...edit.entries].filter((e): e is Changed => e[1].after !== null && e[1].after !== e[1].before)

/**
 * Validates the references, codes and external ids of an edit's nodes, against each other and against the rest of the
 * building. Also generates missing codes and sets the times of changed nodes.
 */
export async function validateEdit(edit: EditEntries): Promise<Violation[]> {
  const yieldTurn = () => (edit.entries.size > LARGE_EDIT_NODES ? nextTurn() : undefined)
  const violations: Violation[] = []
  const changed = changedIn(edit)
  const removed = [...edit.entries].filter(([, entry]) => entry.after === null && entry.before !== null)
  await edit.load(
    changed.flatMap(([, { kind, after, before }]) => [...referencesOf(kind, after), ...previousSpace(kind, before)]),
  )
  for (const [id, entry] of changed) {
    violations.push(...checkParents(edit, id, entry), ...checkServes(edit, id, entry))
  }
  await yieldTurn()
  await dropFeeds(
    edit,
    removed.filter(([, { kind }]) => kind === 'element' || kind === 'space').map(([id]) => id),
  )
  violations.push(...(await checkChildren(edit, removed)))

  await yieldTurn()
  dropUnchanged(edit)
  await yieldTurn()
  await generateCodes(edit, changedIn(edit))
  // The changed nodes are collected again, since generating codes replaces entries.
  const left = changedIn(edit)
  violations.push(...(await checkCodes(edit, left)), ...(await checkExternalIds(edit, left)))
  stamp(edit, left)
  return violations
}

function referencesOf(kind: NodeKind, node: GraphNode): string[] {
  const parents = parentsOf(kind, node).map(({ id }) => id)
  if (kind !== 'element') return parents
  const { storeyId, serves } = node as NodeOf['element']
  return [...parents, ...(storeyId === null ? [] : [storeyId]), ...serves]
}

/** The space of an element before the edit. If the element leaves the space, it stays on the storey of the space. */
function previousSpace(kind: NodeKind, before: GraphNode | null): string[] {
  const spaceId = kind === 'element' ? (before as NodeOf['element'] | null)?.spaceId : null
  return spaceId ? [spaceId] : []
}

function checkParents(
  edit: EditEntries,
  nodeId: string,
  { kind, after, before, pointer, verbatim }: Changed[1],
): Violation[] {
  const violation = (field: string, detail: string): Violation => ({ nodeId, field, detail, pointer, nodeIds: [] })
  for (const { field, id, kinds } of parentsOf(kind, after)) {
    const parent = edit.entries.get(id)
    const there = parent !== undefined && parent.after !== null && kinds.includes(parent.kind)
    if (!there) return [violation(field, `${field} matches no ${kinds[0]} of this building`)]
  }
  if (kind !== 'element') return []
  const element = after as NodeOf['element']
  if (element.spaceId === null && element.storeyId === null) {
    const was = before as NodeOf['element'] | null
    // An element that is removed from its space stays on the storey, even if the space is deleted.
    if (!verbatim && was !== null && was.spaceId !== null) {
      const space = edit.entries.get(was.spaceId)!
      edit.amend({ ...element, storeyId: ((space.after ?? space.before) as NodeOf['space']).storeyId })
    }
    return []
  }
  if (element.spaceId === null || element.storeyId === null) return []
  if (edit.get('space', element.spaceId)!.storeyId !== element.storeyId) {
    return [violation('storeyId', 'storeyId is not the storey of the space: send the space without a storey')]
  }
  edit.amend({ ...element, storeyId: null })
  return []
}

function checkServes(edit: EditEntries, nodeId: string, { kind, after, before, pointer }: Changed[1]): Violation[] {
  if (kind !== 'element') return []
  // If the element served a node before the edit and the node is missing now, this edit deletes the node. `dropFeeds`
  // removes the node from `serves`.
  const fed = new Set((before as NodeOf['element'] | null)?.serves)
  const unknown = (after as NodeOf['element']).serves.filter(
    (id) => !edit.get('element', id) && !edit.get('space', id) && !fed.has(id),
  )
  if (unknown.length === 0) return []
  const detail = `serves has ids that match no element or space of this building: ${unknown.slice(0, 10).join(', ')}`
  return [{ nodeId, field: 'serves', detail, pointer, nodeIds: [] }]
}

/** Removes deleted nodes from `serves` of other elements. */
async function dropFeeds(edit: EditEntries, removed: readonly string[]): Promise<void> {
  const deleted = new Set(removed)
  await edit.load(await findFeeders(edit.tx, edit.buildingId, removed))
  for (const { kind, after } of edit.entries.values()) {
    if (kind !== 'element' || after === null) continue
    const element = after as NodeOf['element']
    const serves = element.serves.filter((target) => !deleted.has(target))
    if (serves.length < element.serves.length) edit.amend({ ...element, serves })
  }
}

async function checkChildren(edit: EditEntries, removed: readonly [string, Entry][]): Promise<Violation[]> {
  const deleted = new Set(removed.map(([id]) => id))
  const remaining = new Map<string, number>()
  const note = (parentId: string) => remaining.set(parentId, (remaining.get(parentId) ?? 0) + 1)
  for (const { id, parentId } of await findChildren(edit.tx, [...deleted])) {
    if (!edit.entries.has(id)) note(parentId)
  }
  for (const { kind, after } of edit.entries.values()) {
    if (after === null) continue
    for (const parent of parentsOf(kind, after)) if (deleted.has(parent.id)) note(parent.id)
  }
  return [...remaining].map(([parentId, count]) => {
    const { kind, pointer } = edit.entries.get(parentId)!
    const more = count === 1 ? 'a node below it' : `${count} nodes below it`
    return { nodeId: parentId, field: 'id', detail: `The ${kind} still has ${more}`, pointer, nodeIds: [parentId] }
  })
}

/** Drops changes that leave a node as it was. */
function dropUnchanged(edit: EditEntries): void {
  const changed = new Set(edit.changes().map(({ nodeId }) => nodeId))
  for (const [id, entry] of edit.entries) {
    if (entry.before !== null && !changed.has(id)) edit.entries.set(id, { ...entry, after: entry.before })
  }
}

async function checkCodes(edit: EditEntries, left: readonly Changed[]): Promise<Violation[]> {
  const wanted = left.filter(([, { before, after }]) => before?.code !== after.code)
  const asking = new Set(wanted.map(([id]) => id))
  const holders = new Map<string, string>()
  for (const { id, code } of await findByCodes(
    edit.tx,
    edit.buildingId,
    wanted.map(([, { after }]) => after.code),
  )) {
    // For nodes of the edit the new code counts, not the old one.
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
      {
        nodeId,
        field: 'code',
        detail: `code ${after.code} is already used in this building`,
        pointer,
        nodeIds: [holder],
      },
    ]
  })
}

async function checkExternalIds(edit: EditEntries, left: readonly Changed[]): Promise<Violation[]> {
  const wanted = left.flatMap(([, { after }]) => after.externalIds)
  const holders = new Map<string, string>()
  for (const row of await findByExternalIds(edit.tx, edit.buildingId, wanted)) {
    if (!edit.entries.has(row.nodeId)) holders.set(keyOf(row), row.nodeId)
  }
  const violations: Violation[] = []
  for (const [nodeId, { after, pointer }] of edit.entries) {
    for (const pair of after?.externalIds ?? []) {
      const holder = holders.get(keyOf(pair))
      if (holder === undefined) holders.set(keyOf(pair), nodeId)
      else if (holder !== nodeId) violations.push(takenExternalId(nodeId, pair, pointer, holder))
    }
  }
  return violations
}

export const keyOf = ({ sourceSystem, externalId }: ExternalId) => `${sourceSystem}\n${externalId}`

function takenExternalId(nodeId: string, pair: ExternalId, pointer: string, holder: string): Violation {
  const detail = `externalId ${pair.externalId} of ${pair.sourceSystem} is already used in this building`
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
