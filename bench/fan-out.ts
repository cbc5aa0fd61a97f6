import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BareEvent, Listening } from './bare-socket-server.ts'
import type { ClientsCommand } from './live-clients.ts'
import type { Sockets } from './live-sockets.ts'
import { cpuOf } from './processes.ts'
import { type Figure, median } from './report.ts'

const ROUNDS = 5
const EVENTS = 1_000
/** How many events may be in flight: sent, and not yet received by all clients. With more, a server queues or skips events. */
const MAX_IN_FLIGHT = 64

interface FanOutOptions {
  sockets: Sockets
  command: ClientsCommand
  stackPid: number
  /** Sends an event to the live channel through the API. */
  post(): Promise<void>
}

/** Compares how many events a second the live channel and a bare Socket.IO server deliver to the same clients. */
export async function compareFanOut({ sockets, command, stackPid, post }: FanOutOptions): Promise<Figure> {
  const { count } = command
  const server = fork(new URL('bare-socket-server.ts', import.meta.url), { execArgv: [] })
  const [{ port }] = (await once(server, 'message')) as [Listening]
  await post()
  await sleep(500)
  const { sample } = await sockets.tally()
  const [name, fields] = JSON.parse(sample.slice(sample.indexOf('[')))
  await sockets.open({ ...command, port })

  let sequence = 0
  async function emit(): Promise<void> {
    const value = String(performance.timeOrigin + performance.now())
    for (const observation of fields.observations) observation.value = value
    server.send({ room: command.buildingId, name, fields, sequence: ++sequence } satisfies BareEvent)
  }

  /** Sends events until all are received. Returns the receipts a second, and the CPU seconds of the server. */
  async function round(pid: number, send: () => Promise<void>): Promise<{ rate: number; cpu: number }> {
    sockets.reset()
    const cpu = cpuOf(pid)
    const from = performance.now()
    const delivered = () => sockets.received() / count
    const sends: Promise<void>[] = []
    while (delivered() < EVENTS) {
      if (sends.length < EVENTS && sends.length - delivered() < MAX_IN_FLIGHT) sends.push(send())
      else await sockets.progress()
    }
    const seconds = (performance.now() - from) / 1000
    await Promise.all(sends)
    return { rate: (EVENTS * count) / seconds, cpu: cpuOf(pid) - cpu }
  }

  const rounds = { ours: [] as Awaited<ReturnType<typeof round>>[], bare: [] as Awaited<ReturnType<typeof round>>[] }
  for (let i = 0; i < ROUNDS; i++) {
    rounds.ours.push(await round(stackPid, post))
    rounds.bare.push(await round(server.pid!, emit))
  }
  server.disconnect()
  const medianRate = (who: string, all: typeof rounds.ours) => {
    const rates = all.map(({ rate }) => `${(rate / 1000).toFixed(0)}k`).join(' ')
    const cpu = all.map(({ cpu }) => ((cpu * 1e6) / (EVENTS * count)).toFixed(2)).join(' ')
    process.stdout.write(`${who}: receipts a second: ${rates}; CPU time for one receipt, in µs: ${cpu}\n`)
    return median(all.map(({ rate }) => rate))
  }
  const [ours, bare] = [medianRate('live channel', rounds.ours), medianRate('bare Socket.IO', rounds.bare)]
  return {
    what: `receipts a second of a bare Socket.IO emit, as a multiple of ours (inverse ${(ours / bare).toFixed(2)})`,
    measured: bare / ours,
    limit: 1.25,
    unit: '×',
  }
}
