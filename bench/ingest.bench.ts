import { growthOf, peakOfStack } from '../soak/memory-growth.ts'
import { packedMessage, parseRate } from './ingest-parts.ts'
import { openInflux, openMosquitto, openVictoriaImport, openVictoriaLines } from './ingest-rivals.ts'
import { startIngestSystem } from './ingest-system.ts'
import { inTurns, medianRatio, sendingSeconds } from './ingest-turns.ts'
import { MESSAGE_SIZE } from './loads.ts'
import { type Figure, median, report } from './report.ts'

/**
 * Measures observations a second. Storey gets them through the gateway or MQTT, with authentication, validation,
 * durable commit and folding. Other stores and a broker get the same observations from the same client, for comparison:
 * InfluxDB as line protocol, VictoriaMetrics as line protocol and as its own JSON, the broker as the same JSON messages.
 *
 * Each way of sending gets BENCH_SECONDS in all, 120 by default, in turns with what it is compared with: about twenty
 * minutes. Any answer but the expected one (202, for line protocol 204) ends the benchmark with that answer. Exits with 1
 * if a figure is over its limit or a program to compare with is missing. No limit is a time or a rate: these depend on
 * the machine.
 */

const SECONDS = Number(process.env.BENCH_SECONDS ?? 120)
/** Clients wait while 128 MB wait for folding, where an observation takes 18 bytes. */
const MAX_WAITING_MILLIONS = (128 * 1024 * 1024) / 18 / 1e6

const figures: Figure[] = []
const ratio = (what: string, rates: readonly number[], to: readonly number[], limit: number) =>
  figures.push({ what, measured: medianRatio(rates, to), limit, unit: '×' })

// JSON is sent in two comparisons, and over MQTT.
const system = await startIngestSystem({ json: 3 * sendingSeconds(SECONDS), lines: sendingSeconds(SECONDS) })
const { points, watch } = system

async function compareJson(): Promise<number> {
  const [influx, victoria] = [await openInflux(points), await openVictoriaImport(points)]
  const [ours, influxRates, victoriaRates] = await inTurns([system.json(true), influx, victoria], SECONDS)
  await Promise.all([influx?.stop(), victoria?.stop()])
  ratio('InfluxDB, line protocol, as a multiple of ours, JSON', influxRates!, ours!, 1 / 1.8)
  ratio('VictoriaMetrics, JSON import, as a multiple of ours, JSON', victoriaRates!, ours!, 1 / 0.8)
  figures.push(
    peakOfStack(watch.memoryMb),
    growthOf('the stack', watch.memoryMb),
    {
      what: 'observations that waited for folding at a time',
      measured: watch.mostWaiting() / 1e6,
      limit: MAX_WAITING_MILLIONS,
      unit: 'million',
    },
    { what: 'longest wait of a batch for folding', measured: watch.longestWaitSeconds(), unit: 's' },
    { what: 'longest time to fold what was left after a turn', measured: system.longestFoldSeconds(), unit: 's' },
  )
  return median(ours!)
}

async function compareLines(): Promise<void> {
  const victoria = await openVictoriaLines(points)
  const [ours, victoriaRates] = await inTurns([system.lines, victoria], SECONDS)
  await victoria?.stop()
  ratio('VictoriaMetrics, line protocol, as a multiple of ours', victoriaRates!, ours!, 1)
}

async function compareMqtt(): Promise<void> {
  const mosquitto = await openMosquitto(system.topic, points)
  const [json, mqtt, mosquittoRates] = await inTurns([system.json(), system.mqtt, mosquitto], SECONDS)
  await mosquitto?.stop()
  ratio('ours, JSON, as a multiple of ours, MQTT', json!, mqtt!, 1 / 0.9)
  ratio('Mosquitto, as a multiple of ours, MQTT', mosquittoRates!, mqtt!, 20)
  const lost = await watch.lostMessages()
  figures.push({ what: 'MQTT messages that were acknowledged and not stored', measured: lost, limit: 0, unit: '' })
}

const jsonRate = await compareJson()
await compareLines()
await compareMqtt()
figures.push(
  { what: 'restarts of the stack', measured: system.restarts(), limit: 0, unit: '' },
  {
    what: 'bytes per folded observation, with its index',
    measured: await system.bytesPerObservation(),
    limit: 12,
    unit: 'B',
  },
)
const inserted = (await system.bareInserts(packedMessage())) * MESSAGE_SIZE
await system.remove()
figures.push(
  { what: 'a bare insert, as a multiple of ours, JSON', measured: inserted / jsonRate, limit: 20, unit: '×' },
  {
    what: 'JSON.parse alone, as a multiple of ours, JSON',
    measured: parseRate(points) / jsonRate,
    limit: 10,
    unit: '×',
  },
)
if (!report(`ingest, ${SECONDS} s for each way of sending`, figures)) process.exitCode = 1
