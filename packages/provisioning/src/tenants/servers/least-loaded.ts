import { elapsedMs } from '@storey/kit/clock'
import { chooseServer } from './choose-server.ts'
import type { Load } from './servers.store.ts'

/** The loads are read again only after this time, because the query reads the rows of all sandboxes. */
const FRESH_MS = 5_000

/**
 * Chooses servers by loads that are read at most every few seconds. A sandbox that was placed after the last read
 * counts with the average size, so that sandboxes created at the same time are distributed over the servers.
 */
export function createLeastLoaded(readLoads: () => Promise<Map<string, Load>>, freshMs = FRESH_MS) {
  let reading: Promise<Map<string, Load>> | undefined
  let readAt = Number.NEGATIVE_INFINITY

  async function loads(): Promise<Map<string, Load>> {
    if (reading === undefined || elapsedMs() - readAt > freshMs) {
      readAt = elapsedMs()
      reading = readLoads()
      reading.catch(() => {
        reading = undefined
      })
    }
    return await reading
  }

  return {
    async choose(candidates: readonly string[]): Promise<string> {
      const now = await loads()
      const id = chooseServer(candidates, now)!
      const { sandboxes, bytes, awake } = now.get(id) ?? { sandboxes: 0, bytes: 0, awake: 0 }
      now.set(id, { sandboxes: sandboxes + 1, bytes: bytes + averageBytes(now), awake })
      return id
    },
  }
}

function averageBytes(loads: ReadonlyMap<string, Load>): number {
  const all = [...loads.values()]
  const sum = (figure: 'sandboxes' | 'bytes') => all.reduce((total, load) => total + load[figure], 0)
  return sum('sandboxes') === 0 ? 0 : sum('bytes') / sum('sandboxes')
}
