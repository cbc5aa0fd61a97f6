import type { LAYER_KEYINGS } from '@storey/contract'
import type { Queryable } from '@storey/kit/database'
import { listRoomNames, type RoomName } from './rooms.store.ts'

export type Keying = (typeof LAYER_KEYINGS)[number]

/** The rooms of a building at one revision, and the names by which uploads call them. */
export interface Rooms {
  /** In order. */
  readonly ids: readonly string[]
  /** Places in `ids`, by name. */
  readonly named: Readonly<Record<Keying, ReadonlyMap<string, number>>>
}

export interface RoomsByRevision {
  at(db: Queryable, buildingId: string, graphVersion: string): Promise<Rooms>
}

/** 10,000 names take 2 MB. */
const MOST_KEPT = 4

/**
 * Every change of the graph is a revision, so rooms are read once for each: finding 10,000 names in SQL takes 50 ms of
 * every upload, and 2 ms here.
 */
export function createRoomsByRevision(): RoomsByRevision {
  const kept = new Map<string, { graphVersion: string; rooms: Rooms }>()
  return {
    async at(db, buildingId, graphVersion) {
      const known = kept.get(buildingId)
      const rooms = known?.graphVersion === graphVersion ? known.rooms : roomsOf(await listRoomNames(db, buildingId))
      kept.delete(buildingId)
      kept.set(buildingId, { graphVersion, rooms })
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_KEPT) break
        kept.delete(oldest)
      }
      return rooms
    },
  }
}

/** Where several rooms have one name, the first has it. */
function roomsOf(rows: readonly RoomName[]): Rooms {
  const ids = [...new Set(rows.map(({ id }) => id))].sort()
  const byId = new Map(ids.map((id, i) => [id, i]))
  const byExternalId = new Map<string, number>()
  for (const { id, externalId } of rows) {
    if (externalId !== null && !byExternalId.has(externalId)) byExternalId.set(externalId, byId.get(id)!)
  }
  return { ids, named: { id: byId, externalId: byExternalId } }
}
