import { isUnavailable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { Changes } from './changes.ts'
import { readHead, readHeads, readNumbers, resolveUnwatched } from './detection.store.ts'
import { type Loaded, loadWatchList } from './load-watch-list.ts'
import { findSilent, nextSilence } from './silence.ts'
import type { WatchList } from './watch-list.ts'
import { type WriteParts, writeChanges } from './write-changes.ts'

export interface Watched {
  /** The version of the graph and the rules that the list was loaded with. */
  version: string
  list: WatchList
  changes: Changes
  /** The numbers of points by id, loaded when they are first needed. */
  numbers: Map<string, number> | undefined
}

const FAULTS_A_TRANSACTION = 200
/**
 * Faults that cannot be written are dropped after this many attempts, so that they do not block all others. Attempts
 * that fail because the database is unavailable do not count.
 */
const MAX_ATTEMPTS = 5

/** The buildings of a stack with their watch lists. The caller runs one operation at a time. */
export function createWatchedBuildings(parts: WriteParts & { log: Log }) {
  const { db, clock, log } = parts
  const buildings = new Map<string, Watched>()
  let attempts = 0

  async function write(): Promise<void> {
    for (const [buildingId, { list, changes }] of buildings) {
      while (changes.size > 0) {
        const some = changes.some(FAULTS_A_TRANSACTION)
        try {
          await writeChanges(parts, buildingId, list, some)
        } catch (err) {
          if (isUnavailable(err) || ++attempts < MAX_ATTEMPTS) throw err
          log.error({ err, buildingId, count: some.length }, 'faults not written, dropped')
        }
        attempts = 0
        changes.done(some)
      }
    }
  }

  /** Reloads the points and rules of a building if they changed. Faults of the previous list are written first. */
  async function refresh(buildingId: string): Promise<void> {
    await write()
    const before = buildings.get(buildingId)
    const now = clock.now()
    let loaded: Loaded | undefined
    const head = await db.snapshot(async (tx) => {
      const found = await readHead(tx, buildingId)
      if (found !== undefined && found.version !== before?.version) {
        loaded = await loadWatchList(tx, buildingId, before?.list, now.getTime())
      }
      return found
    })
    if (head === undefined) buildings.delete(buildingId)
    if (head === undefined || loaded === undefined) return
    const { list, changes, unwatched } = loaded
    if (unwatched.length > 0) await db.transaction((tx) => resolveUnwatched(tx, buildingId, unwatched, now))
    buildings.set(buildingId, { version: head.version, list, changes, numbers: undefined })
  }

  return {
    get: (buildingId: string): Watched | undefined => buildings.get(buildingId),
    refresh,
    write,
    hasChanges: (): boolean => Array.from(buildings.values()).some(({ changes }) => changes.size > 0),
    /** Reloads the buildings whose graph or rules this or another process has changed, and finds silent points. */
    async check(): Promise<void> {
      for (const { buildingId, version } of await readHeads(db)) {
        if (buildings.get(buildingId)?.version !== version) await refresh(buildingId)
      }
      const now = clock.now().getTime()
      for (const { list, changes } of buildings.values()) findSilent(list, now, changes)
    },
    async loadNumbers(buildingId: string): Promise<void> {
      const watched = buildings.get(buildingId)
      if (watched !== undefined) watched.numbers ??= await readNumbers(db, buildingId)
    },
    nextSilence: (): number => Math.min(...Array.from(buildings.values(), ({ list }) => nextSilence(list))),
  }
}
