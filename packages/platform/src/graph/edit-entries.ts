import type { GraphNode, NodeKind, NodeOf } from '@storey/contract'
import type { Tx } from '@storey/kit/database'
import type { BuildingHead, NodeChange } from './graph-edit.store.ts'

/** A node in an edit: its state before the edit and after the edit; null: the node does not exist at that time. */
export interface Entry {
  kind: NodeKind
  before: GraphNode | null
  after: GraphNode | null
  /** The JSON pointer of the node in the request, for errors. */
  pointer: string
  /** True for a restored node, which keeps its code and its times. */
  verbatim: boolean
}

/** The part of an edit that validation reads and amends. */
export interface EditEntries {
  readonly tx: Tx
  readonly buildingId: string
  readonly head: BuildingHead
  readonly at: Date
  readonly entries: Map<string, Entry>
  load(ids: Iterable<string>): Promise<void>
  get<K extends NodeKind>(kind: K, id: string): NodeOf[K] | undefined
  amend(node: GraphNode): void
  changes(): NodeChange[]
}
