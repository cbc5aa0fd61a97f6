import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { Followers } from './followers.ts'
import { afterArrival, afterDeparture } from './simulated-time.ts'
import { listStartable, lockModel, lockSimulation, readExtent, writeState } from './simulation.store.ts'

/** How long a simulation continues after the last person has left, so that a reload does not pause it. */
const GRACE_MS = 5 * 60_000

export interface AutomaticParts {
  db: Database
  clock: Clock
  followers: Followers
}

/** Controls the simulations for which no command was sent yet. They run while somebody follows their building. */
export interface Automatic {
  /** Starts the simulations of the buildings that are followed at this replica. */
  startFollowed(): Promise<void>
  /**
   * Call when this replica begins to simulate the building. `GRACE_MS` then begins again, because people may have
   * followed the building at another replica until now.
   */
  began(buildingId: string): void
  /** Whether nobody has followed the building for so long that its simulation pauses. */
  hasNoFollowers(buildingId: string): boolean
  pause(buildingId: string): Promise<void>
}

export function createAutomatic({ db, clock, followers }: AutomaticParts): Automatic {
  const nowMs = () => clock.now().getTime()
  /** When somebody was last seen to follow each building, or when this replica began to simulate it. */
  const lastSeen = new Map<string, number>()

  async function start(buildingId: string): Promise<void> {
    await db.transaction(async (tx) => {
      if (!(await lockModel(tx, buildingId))) return
      const stored = await lockSimulation(tx, buildingId)
      const after = afterArrival(stored?.state, await readExtent(tx, buildingId), nowMs())
      if (after) await writeState(tx, buildingId, after)
    })
  }

  return {
    async startFollowed() {
      const ids = followers.here()
      if (ids.length === 0) return
      for (const id of await listStartable(db, ids)) await start(id)
    },

    began: (buildingId) => void lastSeen.set(buildingId, nowMs()),

    hasNoFollowers(buildingId) {
      const now = nowMs()
      const isFollowed = followers.here().includes(buildingId) || followers.isFollowedElsewhere(buildingId)
      if (isFollowed) lastSeen.set(buildingId, now)
      return now - (lastSeen.get(buildingId) ?? now) > GRACE_MS
    },

    async pause(buildingId) {
      await db.transaction(async (tx) => {
        const stored = await lockSimulation(tx, buildingId)
        const after = stored && afterDeparture(stored.state, nowMs())
        if (after) await writeState(tx, buildingId, after)
      })
    },
  }
}
