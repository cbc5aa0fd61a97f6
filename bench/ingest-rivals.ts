import { type Baseline, startInflux, startMosquitto, startVictoria } from './baselines.ts'
import { type ComparedSystem, untilIdle } from './ingest-turns.ts'
import { loadOf, posted } from './loads.ts'
import { cpuOf } from './processes.ts'

/**
 * The systems to compare with. Each is started empty for the comparison that it takes part in and stopped after it, so
 * that it takes no memory and no CPU time from the other comparisons. Between its turns it keeps running with what it has
 * stored, as Storey does. Storey has stored at least as much by then.
 */
export type Rival = ComparedSystem & { stop(): Promise<void> }

const LINES = { format: 'lines', path: '/write?db=bench&precision=ms' } as const
const IMPORT = { format: 'victoria', path: '/api/v1/import' } as const
const NO_CONTENT = 204

export const openInflux = (points: readonly string[]) =>
  openStore('InfluxDB, line protocol', startInflux, LINES, points)
export const openVictoriaImport = (points: readonly string[]) =>
  openStore('VictoriaMetrics, JSON import', startVictoria, IMPORT, points)
export const openVictoriaLines = (points: readonly string[]) =>
  openStore('VictoriaMetrics, line protocol', startVictoria, LINES, points)

async function openStore(
  name: string,
  start: () => Promise<Baseline | undefined>,
  { format, path }: typeof LINES | typeof IMPORT,
  points: readonly string[],
): Promise<Rival | undefined> {
  const server = await start()
  if (server === undefined) return undefined
  const load = loadOf(format, points)
  const target = { url: server.url + path, headers: { 'content-type': 'text/plain' }, expected: NO_CONTENT }
  return {
    name,
    send: (seconds) => posted(load, target, seconds),
    rest: () => untilIdle(() => cpuOf(server.pid)),
    stop: server.stop,
  }
}

/** Mosquitto stores nothing: it acknowledges a message in memory and forwards it to a subscriber that counts. */
export async function openMosquitto(topic: string, points: readonly string[]): Promise<Rival | undefined> {
  const server = await startMosquitto(topic)
  if (server === undefined) return undefined
  const load = loadOf('json', points)
  return {
    name: 'Mosquitto, to one subscriber',
    send: (seconds) => server.forwarded(load, seconds),
    rest: () => untilIdle(() => cpuOf(server.pid)),
    stop: server.stop,
  }
}
