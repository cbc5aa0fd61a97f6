import { type FieldError, type NodeOf, Problem, problems, type StoredOperation } from '@storey/contract'
import type { GraphEdit, Violation } from '../../graph/index.ts'
import { findUsedIds } from './changesets.store.ts'
import type { Finding } from './conflicts.ts'
import { idError, inData } from './read-operations.ts'
import { trackServedNodes } from './track-served-nodes.ts'

/**
 * Runs the operations in an edit, in their order, and returns why the changeset cannot be applied. Nothing is written.
 * All nodes are loaded together, so that a thousand operations need as few queries as one operation.
 */
export async function runOperations(edit: GraphEdit, operations: readonly StoredOperation[]): Promise<Finding[]> {
  await edit.load(operations.map(({ id }) => id))
  await edit.load(spacesOfElements(edit, operations))
  const created = new Set(operations.filter(({ op }) => op === 'create').map(({ id }) => id))
  const used = new Set(await findUsedIds(edit.tx, [...created]))
  const feeds = trackServedNodes(edit)
  const failed = new Set<string>()
  const findings: Finding[] = []
  for (const [i, operation] of operations.entries()) {
    // One finding per node is enough: if a later operation on the node fails, the first failure can be the cause.
    if (failed.has(operation.id)) continue
    const finding = runOperation(edit, operation, i, used, feeds)
    if (!finding) continue
    findings.push(finding)
    failed.add(operation.id)
  }
  const places = Map.groupBy(operations.entries(), ([, { id }]) => id)
  const context: OperationContext = {
    places,
    created,
    failedCreates: new Set([...failed].filter((id) => created.has(id))),
  }
  const violations = await edit.validate()
  return [...findings, ...violations.flatMap((violation) => findingOf(edit, violation, context))]
}

/**
 * The spaces that elements are in before or after an operation. They are needed because an element that is removed from
 * its space stays on the storey of that space.
 */
function spacesOfElements(edit: GraphEdit, operations: readonly StoredOperation[]): string[] {
  return operations.flatMap(({ kind, id, data }) => {
    if (kind !== 'element') return []
    const spaces = [data?.spaceId, edit.get('element', id)?.spaceId]
    return spaces.flatMap((space) => (typeof space === 'string' ? [space.toLowerCase()] : []))
  })
}

function runOperation(
  edit: GraphEdit,
  { op, kind, id, data }: StoredOperation,
  i: number,
  used: ReadonlySet<string>,
  feeds: ReturnType<typeof trackServedNodes>,
): Finding | undefined {
  if (op === 'create' && used.has(id)) {
    const detail = `id ${id} is already used: it is or was the id of another record`
    return { nodeId: id, error: idError(i, 'is already used'), field: 'id', detail, nodeIds: [id], isConflict: true }
  }
  if (op !== 'create' && !edit.get(kind, id)) {
    const detail = `There is no ${kind} ${id} to ${op}`
    const error = idError(i, `matches no ${kind} of this building, nor one that an earlier operation creates`)
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

function update(edit: GraphEdit, kind: StoredOperation['kind'], id: string, data: Record<string, unknown>): void {
  const was = edit.get('element', id)
  edit.update(kind, id, data)
  const is = edit.get('element', id)
  if (!was?.spaceId || !is || is.spaceId !== null || is.storeyId !== null) return
  const entry = edit.entries.get(was.spaceId)
  const space = entry?.kind === 'space' ? ((entry.after ?? entry.before) as NodeOf['space'] | null) : null
  if (!space)
    throw problems.field('spaceId', 'spaceId is null and the storey of the element is unknown: give a storeyId')
  edit.amend({ ...is, storeyId: space.storeyId })
}

/** The operations of a changeset, for errors that name them. */
interface OperationContext {
  /** The operations on each node, each with its index in the changeset. */
  places: ReadonlyMap<string, readonly [number, StoredOperation][]>
  created: ReadonlySet<string>
  /** New nodes on which an operation failed. A reference to one of them gives no further finding. */
  failedCreates: ReadonlySet<string>
}
const NO_OPERATIONS: OperationContext = { places: new Map(), created: new Set(), failedCreates: new Set() }

export function findingOf(edit: GraphEdit, violation: Violation, context: OperationContext = NO_OPERATIONS): Finding[] {
  const { nodeId, field, detail } = violation
  const named = violation.nodeIds.length > 0 ? violation.nodeIds : missing(edit, violation)
  const nodeIds = named.filter((id) => !context.failedCreates.has(id))
  if (named.length > 0 && nodeIds.length === 0) return []
  // If this changeset creates all nodes of the violation, there is no conflict with an existing node.
  const isConflict = violation.nodeIds.length > 0 && !violation.nodeIds.every((id) => context.created.has(id))
  const error = placeOf(context.places.get(nodeId) ?? [], field, detail)
  return [{ nodeId, error, field, detail, nodeIds: nodeIds.length > 0 ? nodeIds : [nodeId], isConflict }]
}

/** The missing nodes that the field of a node refers to. */
function missing(edit: GraphEdit, { nodeId, field }: Violation): string[] {
  const node = edit.entries.get(nodeId)?.after as Record<string, unknown> | null | undefined
  const named = node?.[field]
  const ids = Array.isArray(named) ? named : [named]
  return ids.filter((id): id is string => typeof id === 'string' && !edit.entries.get(id)?.after)
}

/**
 * The error that points to the operation that causes it: the last operation of `places` that sets the field or, if the
 * field is `id`, the last one that deletes the node. If there is no such operation, the error points to the list of
 * operations.
 */
function placeOf(places: readonly [number, StoredOperation][], field: string, detail: string): FieldError {
  const setsField = ({ op, data }: StoredOperation) =>
    field === 'id' ? op === 'delete' : Object.hasOwn(data ?? {}, field)
  const [i] = places.findLast(([, operation]) => setsField(operation)) ?? []
  if (i === undefined) return { pointer: '/operations', in: 'body', detail }
  if (field === 'id') return { pointer: `/operations/${i}/id`, in: 'body', detail: `operations.${i}.id: ${detail}` }
  return inData(i, { pointer: `/${field}`, in: 'body', detail })
}
