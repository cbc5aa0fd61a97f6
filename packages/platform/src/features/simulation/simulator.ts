import { randomUUID } from 'node:crypto'
import { createLoop } from '@storey/kit/background'
import type { Lease } from '@storey/kit/database'
import { createLife, type Life, type SimulationParts } from './run-building.ts'
import { isAnyRunning, listUnattended, renewSimulations } from './simulation.store.ts'

/** Keeps the buildings alive that were told to live: in this process, unless another one does. */
export interface Simulator {
  /** Goes on with what an earlier process left. */
  start(): Promise<void>
  /** There may be something to do: an order came. */
  wake(): void
  /** Done when all buildings are up to the present. */
  idle(): Promise<void>
  /** When there is something to do next: at once, while a building lives. */
  nextDue(): Promise<Date | null>
  close(): Promise<void>
}

const BEAT_MS = 1_000
const RETRY = { firstMs: BEAT_MS, maxMs: BEAT_MS }
/** So long a building stands still after its process died. */
const LEASE_MS = 10_000
/** In beats: how often it is said that this process is still at it, and looked for what others have left. */
const RENEW_EVERY = 3
const LOOK_EVERY = 10

export function createSimulator(parts: SimulationParts): Simulator {
  const { db, clock, log } = parts
  const lease: Lease = { holder: randomUUID(), durationMs: LEASE_MS }
  const lives = new Map<string, { life: Life; waiting: number; ending?: Promise<void> }>()
  const loop = createLoop({ name: 'simulation', log, run: beat, everyMs: BEAT_MS, retry: RETRY })
  let beats = 0
  let closed = false

  async function look(): Promise<void> {
    for (const id of await listUnattended(db, lease)) {
      if (!closed && !lives.has(id)) lives.set(id, { life: createLife(parts, id, lease), waiting: 0 })
    }
  }

  async function liveOn(id: string): Promise<void> {
    const one = lives.get(id)
    if (!one) return
    one.waiting++
    const goesOn = await one.life.live()
    one.waiting--
    if (goesOn || closed) return
    one.ending ??= one.life.close().finally(() => lives.delete(id))
    await one.ending
  }

  async function beat(): Promise<void> {
    beats++
    if (lives.size > 0 && beats % RENEW_EVERY === 0) await renewSimulations(db, lease)
    if (beats % LOOK_EVERY === 0) await look()
    for (const [id, { waiting }] of lives) if (waiting === 0) inBackground(liveOn(id))
  }

  async function all(): Promise<void> {
    // Twice, since one that was ending may have been told to live again.
    for (let round = 0; round < 2; round++) {
      await look()
      await Promise.all([...lives.keys()].map(liveOn))
    }
  }

  function inBackground(work: Promise<void>): void {
    work.catch((err) => {
      if (!closed) log.warn({ err }, 'the simulation waits: the database does not answer')
    })
  }

  return {
    async start() {
      await look()
      loop.start(BEAT_MS)
    },
    wake() {
      if (!closed) inBackground(all())
    },
    idle: all,
    nextDue: async () => ((await isAnyRunning(db)) ? clock.now() : null),
    async close() {
      closed = true
      await loop.stop()
      await Promise.all([...lives.values()].map(({ life }) => life.close()))
    },
  }
}
