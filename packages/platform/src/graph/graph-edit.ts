import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { GraphNode, NewNode, NodeKind, NodeOf, NodePatch } from '@storey/contract'
import type { Sql, Tx } from '@storey/kit/database'
import type { EditEntries, Entry } from './edit-entries.ts'
import type { EditMemory } from './edit-memory.ts'
import {
  appendRevision,
  type BuildingHead,
  countNodes,
  deleteNodes,
  discardPlans,
  insertNodes,
  measureStates,
  type NodeChange,
  readNodes,
  restoreNumbers,
  statesOf,
  updateNodes,
} from './graph-edit.store.ts'
import { KINDS_IN_ORDER } from './kinds.ts'
import { freshNode, patchedNode } from './node-rules.ts'
import { problemOf, type Violation, validateEdit } from './validate-edit.ts'

/** From this number of changes on, query plans that PostgreSQL made when the tables were smaller are too slow. */
const LARGE_EDIT = 500
/** The memory of at most this many nodes is not measured before they are read. It is at most 3 MB. */
const FEW_NODES = 20

export interface Meta {
  actor: string
  summary: string
  changesetId?: string
}

export interface Revision {
  revision: number
  at: Date
  changes: NodeChange[]
}

/**
 * A change of the graph: nodes are loaded, changed and written together, as one revision. Only the seeding writes nodes
 * without an edit. References between nodes are validated at the end, so the order of the changes does not matter.
 */
export class GraphEdit implements EditEntries {
  readonly tx: Tx
  readonly buildingId: string
  readonly head: BuildingHead
  readonly at: Date
  readonly entries = new Map<string, Entry>()
  readonly #memory: EditMemory

  constructor(
    tx: Tx,
    buildingId: string,
    { head, now, memory }: { head: BuildingHead; now: Date; memory: EditMemory },
  ) {
    this.tx = tx
    this.buildingId = buildingId.toLowerCase()
    this.head = head
    this.#memory = memory
    // Each revision is later than the one before it, so that clients can name a revision by an instant.
    this.at = new Date(Math.max(now.getTime(), head.at.getTime() + 1))
  }

  /** Reads nodes of this building into the edit. Unknown ids are ignored. */
  async load(ids: Iterable<string>): Promise<void> {
    const missing = [...new Set(ids)].filter((id) => !this.entries.has(id))
    if (missing.length > FEW_NODES) await this.reserve(statesOf(this.buildingId, missing))
    for (const { id, kind, state } of await readNodes(this.tx, this.buildingId, missing)) {
      this.entries.set(id, { kind, before: state, after: state, pointer: '', verbatim: false })
    }
  }

  /**
   * Reserves memory for nodes that will be read: those that the query selects in its column `state`. Throws CONFLICT if
   * the edit reads too much, and NOT_READY if other large edits take too long.
   */
  async reserve(states: Sql): Promise<void> {
    await this.#memory.reserve(await measureStates(this.tx, states))
  }

  /** The current state of a node in the edit; undefined when there is none of that kind. */
  get<K extends NodeKind>(kind: K, id: string): NodeOf[K] | undefined {
    const entry = this.entries.get(id)
    return entry?.kind === kind && entry.after !== null ? (entry.after as NodeOf[K]) : undefined
  }

  create<K extends NodeKind>(kind: K, body: NewNode[K], options: { id?: string; pointer?: string } = {}): NodeOf[K] {
    const node = freshNode(kind, options.id ?? randomUUID(), body)
    this.put(kind, node, options.pointer)
    return node
  }

  update<K extends NodeKind>(kind: K, id: string, patch: NodePatch[K], pointer = ''): void {
    this.put(kind, patchedNode(kind, this.get(kind, id)!, patch), pointer)
  }

  /** Sets a whole node, new or changed. */
  put<K extends NodeKind>(kind: K, node: NodeOf[K], pointer = ''): void {
    const known = this.entries.get(node.id)
    this.entries.set(node.id, { kind, before: known?.before ?? null, after: node, pointer, verbatim: false })
  }

  /** Replaces the state of a node in the edit; the other fields of its entry stay. */
  amend(node: GraphNode): void {
    this.entries.set(node.id, { ...this.entries.get(node.id)!, after: node })
  }

  /** Sets a node to an earlier state, with its code and its times. Null deletes a node that did not exist then. */
  restore(kind: NodeKind, id: string, node: GraphNode | null): void {
    const before = this.entries.get(id)?.before ?? null
    this.entries.set(id, { kind, before, after: node, pointer: '', verbatim: true })
  }

  remove(id: string, pointer = ''): void {
    const entry = this.entries.get(id)!
    this.entries.set(id, { ...entry, after: null, pointer })
  }

  /** Returns why the edit cannot be written. Also generates missing codes and drops changes that change nothing. */
  validate(): Promise<Violation[]> {
    return validateEdit(this)
  }

  /** The changes of the edit. They are complete only after validation. */
  changes(): NodeChange[] {
    const found: NodeChange[] = []
    for (const [nodeId, { kind, before, after }] of this.entries) {
      if (before === after || isDeepStrictEqual(before, after)) continue
      const op = before === null ? 'create' : after === null ? 'delete' : 'update'
      found.push({ op, kind, nodeId, before, after })
    }
    return found
  }

  /** Writes the edit as one revision, or throws and writes nothing. Returns null if there was nothing to write. */
  async commit(meta: Meta): Promise<Revision | null> {
    const violations = await this.validate()
    if (violations.length > 0) throw problemOf(violations)
    return this.write(meta)
  }

  /** Writes an edit that was validated without a violation. Returns null if there was nothing to write. */
  async write(meta: Meta): Promise<Revision | null> {
    const changes = this.changes()
    if (changes.length === 0) return null
    await this.#write(changes)
    const revision = this.head.revision + 1
    const { buildingId, at, head } = this
    const made = { buildingId, revision, at, lastCode: head.lastCode, changesetId: null, ...meta }
    await appendRevision(this.tx, made, changes)
    return { revision, at, changes }
  }

  async #write(changes: readonly NodeChange[]): Promise<void> {
    if (changes.length >= LARGE_EDIT) await discardPlans(this.tx)
    const of = (op: NodeChange['op'], kind: NodeKind) => changes.filter((c) => c.op === op && c.kind === kind)
    for (const kind of KINDS_IN_ORDER) {
      const made = of('create', kind).map(({ after }) => after)
      if (made.length >= LARGE_EDIT) await discardPlans(this.tx)
      if (made.length > 0) await insertNodes(this.tx, this.buildingId, kind, made as never[])
      if (made.length > 0 && kind === 'point')
        await restoreNumbers(
          this.tx,
          made.map((node) => node!.id),
        )
    }
    for (const kind of KINDS_IN_ORDER) await updateNodes(this.tx, this.buildingId, kind, of('update', kind) as never[])
    for (const kind of KINDS_IN_ORDER) {
      const more = of('create', kind).length - of('delete', kind).length
      if (more !== 0) await countNodes(this.tx, this.buildingId, kind, more)
    }
    for (const kind of KINDS_IN_ORDER.toReversed()) {
      await deleteNodes(
        this.tx,
        kind,
        of('delete', kind).map((c) => c.nodeId),
      )
    }
  }
}
