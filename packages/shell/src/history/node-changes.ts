import type { ElementNode, PointNode, SpaceNode, StoreyNode } from '@storey/sdk'
import type { AnyNode, Change } from './changes.ts'
import type { PlanGraph } from './graph-at.ts'

export type ChangeMark = 'added' | 'removed' | 'changed'
type Nodes = Pick<PlanGraph, 'spaces' | 'elements'>

export interface FieldChange {
  field: string
  before: unknown
  after: unknown
}

export const MARK_OF = { create: 'added', update: 'changed', delete: 'removed' } as const satisfies Record<
  Change['op'],
  ChangeMark
>

/** The signs of the marks, the same as on the plan. */
export const MARK_SIGNS: Record<ChangeMark, string> = { added: '+', removed: '−', changed: '≠' }

/** `externalId` and `sourceSystem` repeat the first entry of `externalIds`. */
const IGNORED_FIELDS = new Set(['id', 'createdAt', 'updatedAt', 'externalId', 'sourceSystem'])

export function changedFields({ before, after }: Pick<Change, 'before' | 'after'>): FieldChange[] {
  if (!before || !after) return []
  const [old, now] = [before, after] as unknown as [Record<string, unknown>, Record<string, unknown>]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((field) => !IGNORED_FIELDS.has(field) && JSON.stringify(old[field]) !== JSON.stringify(now[field]))
    .map((field) => ({ field, before: old[field], after: now[field] }))
}

/** The fields that are shown for a created or deleted node. */
const MAIN_FIELDS = ['spaceTypeSlug', 'elementTypeSlug', 'quantityKind', 'unit', 'areaSqm', 'spaceId', 'elementId']

export function mainFields({ before, after }: Pick<Change, 'before' | 'after'>): { field: string; value: unknown }[] {
  const node = { ...(after ?? before) } as Record<string, unknown>
  return MAIN_FIELDS.flatMap((field) => (node[field] ? [{ field, value: node[field] }] : []))
}

/** The name of a node after its change, or the last name if the change deleted the node. */
export const nameOf = ({ before, after }: Pick<Change, 'before' | 'after'>): string => (after ?? before)?.name ?? ''

const KINDS: readonly Change['kind'][] = ['storey', 'space', 'element', 'point']

/** Sorts storeys first, then rooms, equipment and points, and by name within each kind. */
export const byKindAndName = (a: Change, b: Change): number =>
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || nameOf(a).localeCompare(nameOf(b))

/**
 * The marks of the rooms with changes. A room counts as changed if its equipment or points changed. A change of a
 * storey marks no room.
 */
export function marksByRoom(changes: readonly Change[], graph: Nodes): Map<string, ChangeMark> {
  const marks = new Map<string, ChangeMark>()
  const roomOf = new Map(graph.elements.map(({ id, spaceId }) => [id, spaceId]))
  for (const { kind, before, after } of changes) {
    if (kind !== 'element') continue
    const node = (after ?? before) as ElementNode
    if (!roomOf.has(node.id)) roomOf.set(node.id, node.spaceId)
  }
  for (const { op, kind, nodeId, before, after } of changes) {
    if (kind === 'space') marks.set(nodeId, MARK_OF[op])
    for (const node of [before, after]) {
      const room = node && roomOfNode(kind, node, roomOf)
      if (room && !marks.has(room)) marks.set(room, 'changed')
    }
  }
  return marks
}

function roomOfNode(kind: Change['kind'], node: AnyNode, roomOf: Map<string, string | null>): string | null {
  if (kind === 'element') return (node as ElementNode).spaceId
  if (kind === 'point') return roomOf.get((node as PointNode).elementId) ?? null
  return null
}

/** The rooms of the graph, and the rooms that the changes remove or add. */
export function roomsWithChanges(changes: readonly Change[], graph: Nodes): SpaceNode[] {
  const known = new Set(graph.spaces.map(({ id }) => id))
  const others = changes
    .filter(({ kind, nodeId }) => kind === 'space' && !known.has(nodeId))
    .map(({ before, after }) => (before ?? after) as SpaceNode)
  return [...graph.spaces, ...others]
}

/** The storeys of the graph and of the changes, highest first. */
export function storeysWithChanges(changes: readonly Change[], graph: Pick<PlanGraph, 'storeys'>): StoreyNode[] {
  const known = new Set(graph.storeys.map(({ id }) => id))
  const others = changes
    .filter(({ kind, nodeId }) => kind === 'storey' && !known.has(nodeId))
    .map(({ before, after }) => (before ?? after) as StoreyNode)
  return [...graph.storeys, ...others].sort((a, b) => b.index - a.index)
}

/** The number of marked rooms per storey. */
export function marksByStorey(
  marks: ReadonlyMap<string, ChangeMark>,
  rooms: readonly SpaceNode[],
): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { id, storeyId } of rooms) if (marks.has(id)) counts.set(storeyId, (counts.get(storeyId) ?? 0) + 1)
  return counts
}
