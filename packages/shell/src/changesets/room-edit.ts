import type { ChangesetRecord, SpaceNode, SpacePatch } from '@storey/sdk'
import { storedName } from '@storey/web'

/** The fields of a room that the form edits. */
export type RoomFields = Pick<SpaceNode, 'name' | 'spaceTypeSlug' | 'status'>
const FIELDS: readonly string[] = ['name', 'spaceTypeSlug', 'status'] satisfies (keyof RoomFields)[]

export interface RoomEdit {
  roomId: string
  data: Partial<RoomFields>
}

/** The room edit of a changeset; undefined if the form cannot show all of its operations. */
export function roomEditOf(operations: ChangesetRecord['operations']): RoomEdit | undefined {
  const [only, ...others] = operations
  if (!only || others.length > 0 || only.op !== 'update' || only.kind !== 'space' || !only.id) return undefined
  const data = only.data ?? {}
  if (Object.keys(data).some((field) => !FIELDS.includes(field))) return undefined
  return { roomId: only.id, data }
}

/** The form values: the room with the changes. */
export const fieldsOf = (room: SpaceNode, { name, spaceTypeSlug, status }: Partial<RoomFields> = {}): RoomFields => ({
  name: name ?? storedName(room),
  spaceTypeSlug: spaceTypeSlug ?? room.spaceTypeSlug,
  status: status ?? room.status,
})

/** The changed fields. An empty name does not count as a change. */
export function spacePatchOf(room: SpaceNode, { name, spaceTypeSlug, status }: RoomFields): SpacePatch {
  return {
    ...(name.trim() === storedName(room) || name.trim() === '' ? {} : { name: name.trim() }),
    ...(spaceTypeSlug === room.spaceTypeSlug ? {} : { spaceTypeSlug }),
    ...(status === room.status ? {} : { status }),
  }
}
