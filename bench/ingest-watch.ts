import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../acceptance/system/call.ts'
import { memoryMb } from './processes.ts'

const EVERY_MS = 500

/** Samples the memory of a stack and what the metrics of the service report. */
export function createIngestWatch(stackPid: number, metricsPort: number) {
  const memory: number[] = []
  let [longestWait, mostWaiting] = [0, 0]

  const metrics = async () => (await call(`http://localhost:${metricsPort}/metrics`)).text

  async function sample(): Promise<void> {
    memory.push(memoryMb(stackPid))
    const text = await metrics()
    longestWait = Math.max(longestWait, sumOf('storey_observations_oldest_waiting_seconds', text))
    mostWaiting = Math.max(mostWaiting, sumOf('storey_observations_waiting', text))
  }

  return {
    /** Waits for the work, and takes samples meanwhile. */
    async during<T>(work: Promise<T>): Promise<T> {
      let isOver = false
      const end = () => {
        isOver = true
      }
      work.then(end, end)
      const sampling = async () => {
        for (; !isOver; await sleep(EVERY_MS)) await sample()
      }
      const [value] = await Promise.all([work, sampling()])
      return value
    },
    /** The resident memory of the stack, by sample. */
    memoryMb: memory as readonly number[],
    /** The longest wait of a batch for folding. */
    longestWaitSeconds: () => longestWait,
    /** The most observations that waited for folding at a time. */
    mostWaiting: () => mostWaiting,
    /** The MQTT messages that were acknowledged and not stored. The broker acknowledges refused messages too. */
    async lostMessages(): Promise<number> {
      const text = await metrics()
      const name = 'storey_mqtt_messages_total'
      return sumOf(name, text) - sumOf(`${name}{outcome="ingested"}`, text)
    },
  }
}

/** The sum of the series of a metric, or of one of its series; NaN if it is absent. */
function sumOf(series: string, text: string): number {
  const values = text
    .split('\n')
    .filter((line) => line.startsWith(`${series} `) || line.startsWith(`${series}{`))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)))
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0)
}
