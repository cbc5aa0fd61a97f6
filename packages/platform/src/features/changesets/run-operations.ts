import { type FieldError, type KeptOperation, type NodeOf, Problem, problems } from '@storey/contract'
import type { Fault, GraphEdit } from '../../graph/index.ts'
import { findUsedIds } from './changesets.store.ts'
import type { Finding } from './findings.ts'
import { idError, inData } from './read-operations.ts'
import { trackFeeds } from './track-feeds.ts'

/**
 * Carries the operations out in an edit, in their order, and tells what stands in the way; nothing is written. What
 * they name is read all at once, so that a thousand of them ask no more often than one.
 */
export async function runOperations(edit: GraphEdit, operations: readonly KeptOperation[]): Promise<Finding[]> {
  await edit.load(operations.map(({ id }) => id))
  await edit.load(roomsLeft(edit, operations))
  const created = new Set(operations.filter(({ op }) => op === 'create').map(({ id }) => id))
  const used = new Set(await findUsedIds(edit.tx, [...created]))
  const feeds = trackFeeds(edit)
  const failed = new Set<string>()
  const findings: Finding[] = []
  for (const [i, operation] of operations.entries()) {
    // One reason is enough: what follows on a node that could not be made fails as well.
    if (failed.has(operation.id)) continue
    const finding = runOperation(edit, operation, i, used, feeds)
    if (!finding) continue
    findings.push(finding)
    failed.add(operation.id)
  }
  const places = Map.groupBy(operations.entries(), ([, { id }]) => id)
  const told: Told = { places, created, unmade: new Set([...failed].filter((id) => created.has(id))) }
  const faults = await edit.settle()
  return [...findings, ...faults.flatMap((fault) => findingOf(edit, fault, told))]
}

/** The rooms out of which elements may be taken: an element then stays on the storey. */
function roomsLeft(edit: GraphEdit, operations: readonly KeptOperation[]): string[] {
  return operations.flatMap(({ kind, id, data }) => {
    if (kind !== 'element') return []
    const rooms = [data?.spaceId, edit.get('element', id)?.spaceId]
    return rooms.flatMap((room) => (typeof room === 'string' ? [room.toLowerCase()] : []))
  })
}

function runOperation(
  edit: GraphEdit,
  { op, kind, id, data }: KeptOperation,
  i: number,
  used: ReadonlySet<string>,
  feeds: ReturnType<typeof trackFeeds>,
): Finding | undefined {
  if (op === 'create' && used.has(id)) {
    const detail = `id ${id} is taken: it is or was the id of another node`
    return { nodeId: id, error: idError(i, 'is taken'), field: 'id', detail, nodeIds: [id], isConflict: true }
  }
  if (op !== 'create' && !edit.get(kind, id)) {
    const detail = `There is no ${kind} ${id} to ${op}`
    const error = idError(i, `names no ${kind} of this building, nor one that an earlier operation creates`)
    return { nodeId: id, error, field: 'id', detail, nodeIds: [id], isConflict: false }
  }
  if (op === 'delete') {
    edit.remove(id)
    feeds.removed(id)
    return undefined
  }
  try {
    if (op === 'create') edit.create(kind, data as never, { id })
    else update(edit, kind, id, data!)
    if (kind === 'element') feeds.note(edit.get('element', id)!)
    return undefined
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem
    const { errors = [], validValues } = problem.members as { errors?: FieldError[]; validValues?: string[] }
    const [error] = errors
    if (!error) throw problem
    const common = { nodeId: id, nodeIds: [id], isConflict: false, validValues }
    return { ...common, error: inData(i, error), field: error.pointer.slice(1), detail: problem.message }
  }
}

function update(edit: GraphEdit, kind: KeptOperation['kind'], id: string, data: Record<string, unknown>): void {
  const was = edit.get('element', id)
  edit.update(kind, id, data)
  const is = edit.get('element', id)
  if (!was?.spaceId || !is || is.spaceId !== null || is.storeyId !== null) return
  const room = edit.entries.get(was.spaceId)
  const space = room?.kind === 'space' ? ((room.after ?? room.before) as NodeOf['space'] | null) : null
  if (!space)
    throw problems.field('spaceId', 'spaceId is taken away from an element that was in no space: name a storey')
  edit.amend({ ...is, storeyId: space.storeyId })
}

/** What is known of the operations on which a fault is laid. */
interface Told {
  /** By node, with their places in the changeset. */
  places: ReadonlyMap<string, readonly [number, KeptOperation][]>
  created: ReadonlySet<string>
  /** Those that could not be created: that others miss them is no reason of its own. */
  unmade: ReadonlySet<string>
}
const NOTHING_TOLD: Told = { places: new Map(), created: new Set(), unmade: new Set() }

export function findingOf(edit: GraphEdit, fault: Fault, told: Told = NOTHING_TOLD): Finding[] {
  const { nodeId, field, detail } = fault
  const named = fault.nodeIds.length > 0 ? fault.nodeIds : missing(edit, fault)
  const nodeIds = named.filter((id) => !told.unmade.has(id))
  if (named.length > 0 && nodeIds.length === 0) return []
  // Where two operations want the same, no node of the building is in the way.
  const isConflict = fault.nodeIds.length > 0 && !fault.nodeIds.every((id) => told.created.has(id))
  const error = placeOf(told.places.get(nodeId) ?? [], field, detail)
  return [{ nodeId, error, field, detail, nodeIds: nodeIds.length > 0 ? nodeIds : [nodeId], isConflict }]
}

/** What the field of a node names, and is not there. */
function missing(edit: GraphEdit, { nodeId, field }: Fault): string[] {
  const node = edit.entries.get(nodeId)?.after as Record<string, unknown> | null | undefined
  const named = node?.[field]
  const ids = Array.isArray(named) ? named : [named]
  return ids.filter((id): id is string => typeof id === 'string' && !edit.entries.get(id)?.after)
}

/** The last operation on the node that says it. */
function placeOf(places: readonly [number, KeptOperation][], field: string, detail: string): FieldError {
  const saysIt = ({ op, data }: KeptOperation) => (field === 'id' ? op === 'delete' : Object.hasOwn(data ?? {}, field))
  const [i] = places.findLast(([, operation]) => saysIt(operation)) ?? []
  if (i === undefined) return { pointer: '/operations', in: 'body', detail }
  if (field === 'id') return { pointer: `/operations/${i}/id`, in: 'body', detail: `operations.${i}.id: ${detail}` }
  return inData(i, { pointer: `/${field}`, in: 'body', detail })
}
