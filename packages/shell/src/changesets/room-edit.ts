import type { ChangesetRecord, SpaceNode, SpacePatch } from '@storey/sdk'

/** What the form has of a room. */
export type RoomFields = Pick<SpaceNode, 'name' | 'spaceTypeSlug' | 'status'>
const FIELDS: readonly string[] = ['name', 'spaceTypeSlug', 'status'] satisfies (keyof RoomFields)[]

export interface RoomEdit {
  roomId: string
  data: Partial<RoomFields>
}

/** The edit of one room that a changeset is; undefined where it holds more than the form can. */
export function roomEditOf(operations: ChangesetRecord['operations']): RoomEdit | undefined {
  const [only, ...others] = operations
  if (!only || others.length > 0 || only.op !== 'update' || only.kind !== 'space' || !only.id) return undefined
  const data = only.data ?? {}
  if (Object.keys(data).some((field) => !FIELDS.includes(field))) return undefined
  return { roomId: only.id, data }
}

/** A room as the form shows it: as it is, with what is to change. */
export const fieldsOf = (room: SpaceNode, { name, spaceTypeSlug, status }: Partial<RoomFields> = {}): RoomFields => ({
  name: name ?? room.name,
  spaceTypeSlug: spaceTypeSlug ?? room.spaceTypeSlug,
  status: status ?? room.status,
})

/** What is to change. Nothing is no name. */
export function spacePatchOf(room: SpaceNode, { name, spaceTypeSlug, status }: RoomFields): SpacePatch {
  return {
    ...(name.trim() === room.name || name.trim() === '' ? {} : { name: name.trim() }),
    ...(spaceTypeSlug === room.spaceTypeSlug ? {} : { spaceTypeSlug }),
    ...(status === room.status ? {} : { status }),
  }
}
