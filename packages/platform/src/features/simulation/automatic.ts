import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { afterArrival, afterDeparture } from './simulated-time.ts'
import { listStartable, lockModel, lockSimulation, readExtent, writeState } from './simulation.store.ts'

/** How long a simulation continues after the last person has left, so that a reload does not pause it. */
const GRACE_MS = 5 * 60_000

export interface AutomaticParts {
  db: Database
  clock: Clock
  /** The buildings whose changes a signed-in person follows on the live channel (namespace `/changes`). */
  followed(): readonly string[]
}

/** Controls the simulations for which no command was sent yet. They run while somebody follows their building. */
export interface Automatic {
  /** Starts the simulations of followed buildings. */
  startFollowed(): Promise<void>
  /** Whether nobody has followed the building for so long that its simulation pauses. */
  isLeft(buildingId: string): boolean
  pause(buildingId: string): Promise<void>
}

export function createAutomatic({ db, clock, followed }: AutomaticParts): Automatic {
  const nowMs = () => clock.now().getTime()
  const createdMs = nowMs()
  /** When somebody was last seen to follow each building. */
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
      const ids = followed()
      if (ids.length === 0) return
      for (const id of await listStartable(db, ids)) await start(id)
    },

    isLeft(buildingId) {
      const now = nowMs()
      if (followed().includes(buildingId)) lastSeen.set(buildingId, now)
      return now - (lastSeen.get(buildingId) ?? createdMs) > GRACE_MS
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
