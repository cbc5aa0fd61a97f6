import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, call } from '../acceptance/system/call.ts'

const START = Date.now() - 12 * 3_600_000
/** Every message has an observation at this time. The stored value must be that of the last acknowledged message. */
const SHARED_TIME = START - 1_000

export interface Compared {
  acknowledged: number
  lost: number
  duplicated: number
  changed: number
}

/**
 * Creates messages with observations of one point. Remembers which observations were acknowledged, and compares these
 * with the stored observations.
 */
export function createObserved(base: string, token: string, pointId: string, messageSize: number) {
  const expected = new Map<number, string>()

  /** The observations of the n-th message. */
  const message = (n: number): [atMs: number, value: string][] => [
    [SHARED_TIME, `${n}`],
    ...Array.from({ length: messageSize }, (_, i): [number, string] => {
      const number = n * messageSize + i
      return [START + number * 10, `${number}`]
    }),
  ]
  return {
    /** The body of the n-th message. */
    body: (n: number): string =>
      JSON.stringify({
        observations: message(n).map(([atMs, value]) => ({ pointId, value, timestamp: new Date(atMs).toISOString() })),
      }),
    /** Records that the n-th message was acknowledged, so that it must be stored. */
    acknowledged(n: number): void {
      for (const [atMs, value] of message(n)) expected.set(atMs, value)
    },
    async compare(): Promise<Compared> {
      const found = new Map<number, string>()
      let [lost, duplicated, changed] = [0, 0, 0]
      for await (const { timestamp, value } of readAll(base, token, pointId)) {
        const atMs = Date.parse(timestamp)
        if (found.has(atMs)) duplicated++
        found.set(atMs, value)
      }
      for (const [atMs, value] of expected) {
        if (!found.has(atMs)) lost++
        else if (found.get(atMs) !== value) changed++
      }
      return { acknowledged: expected.size, lost, duplicated, changed }
    },
  }
}

export type Observed = ReturnType<typeof createObserved>

async function* readAll(
  base: string,
  token: string,
  pointId: string,
): AsyncGenerator<{ timestamp: string; value: string }> {
  const to = new Date(Date.now() + 3_600_000).toISOString()
  let from: string | null = new Date(SHARED_TIME).toISOString()
  while (from !== null) {
    const query = `pointId=${pointId}&from=${from}&to=${to}&limit=10000`
    const answer: Answer = await call(`${base}/telemetry/observations?${query}`, { token })
    if (answer.status !== 200) {
      await sleep(500)
      continue
    }
    yield* answer.json.data
    from = answer.json.nextFrom
  }
}
