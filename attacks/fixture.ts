import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { actorsOf } from '../acceptance/system/actors.ts'
import type { Answer } from '../acceptance/system/call.ts'
import { type System, startSystem } from '../acceptance/system/system.ts'
import { childrenOf, peakMemoryMb } from '../bench/processes.ts'
import { report } from '../bench/report.ts'
import { countStolenTime } from '../bench/stolen-time.ts'
import type { NeighbourCall, NeighbourSample } from './neighbour-thread.ts'

/** A started system with a sandbox to attack, and the sandbox of a neighbour, who has an API key and its token. */
export interface Fixture {
  system: System
  port: number
  actors: ReturnType<typeof actorsOf>
  key: string
  target: { record: Answer['json']; connection: Answer['json'] }
  neighbour: { record: Answer['json']; connection: Answer['json'] }
}

/** These limits admit the neighbour's ten requests a second to the control plane, and ten to its own sandbox. */
const ENVIRONMENT = { RATE_LIMIT_PER_MINUTE: '1000', PROVISIONING_RATE_LIMIT_PER_MINUTE: '1000' }

export async function openFixture(env: Record<string, string> = {}): Promise<Fixture> {
  const system = await startSystem({ env: { ...ENVIRONMENT, ...env } })
  const actors = actorsOf(system)
  const key = await actors.operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
  const target = await actors.newSandbox(key, { name: 'Target' })
  const neighbour = await actors.newSandbox(key, { name: 'Neighbour' })
  return { system, port: Number(new URL(system.url).port), actors, key, target, neighbour }
}

export interface Duration {
  quietSeconds?: number
  seconds?: number
  /** Added to twice the latency without the attack. */
  allowanceMs?: number
}

/** The result of an attack. */
export interface Verdict {
  holds: boolean
}

/**
 * Measures the neighbour's calls to the control plane and to the neighbour's sandbox, first without the attack, then
 * during it. During the attack, the p99 latency must be at most twice the value without it plus `allowanceMs`, every
 * call must succeed, and no stack may end.
 */
export async function whileNeighbourWorks(
  fixture: Fixture,
  title: string,
  { quietSeconds = 15, seconds = 60, allowanceMs = 50 }: Duration,
  attack: (over: AbortSignal) => Promise<void>,
): Promise<Verdict> {
  const { system, port, key, neighbour } = fixture
  const { apiUrl, token, buildingId } = neighbour.connection
  const calls: NeighbourCall[] = [
    { name: 'control plane', host: `localhost:${port}`, port, path: '/api/v1/sandboxes', token: key },
    {
      name: 'sandbox',
      host: new URL(apiUrl).host,
      port,
      path: `/api/v1/buildings/${buildingId}/spaces?limit=50`,
      token,
    },
  ]
  const worker = new Worker(new URL('./neighbour-thread.ts', import.meta.url), { workerData: { calls } })
  const take = (command: 'take' | 'stop') =>
    new Promise<NeighbourSample[]>((resolve) => {
      worker.once('message', resolve)
      worker.postMessage(command)
    })

  await sleep(3_000)
  await take('take')
  const stacks = childrenOf(system.pid, 'serve').sort()
  const stolenWithout = countStolenTime()
  await sleep(quietSeconds * 1_000)
  const quiet = await take('take')
  const stolen = [stolenWithout()]

  const over = new AbortController()
  const stolenDuring = countStolenTime()
  const timer = setTimeout(() => over.abort(), seconds * 1_000)
  await attack(over.signal)
  clearTimeout(timer)
  over.abort()
  const attacked = await take('stop')
  stolen.push(stolenDuring())

  const p99Of = (samples: NeighbourSample[], name: string) =>
    quantile(
      samples.filter((sample) => sample.name === name).map(({ ms }) => ms),
      0.99,
    )
  const figures = calls.map(({ name }) => ({
    what: `${name}, p99 of a neighbour (${p99Of(quiet, name).toFixed(1)} ms without the attack)`,
    measured: p99Of(attacked, name),
    limit: 2 * p99Of(quiet, name) + allowanceMs,
    unit: 'ms',
  }))
  report(title, figures)
  const failed = attacked.filter(({ status }) => status < 200 || status > 299)
  const left = childrenOf(system.pid, 'serve').sort()
  const restarted = stacks.filter((pid) => !left.includes(pid)).length
  const memory = [system.pid, ...left].map((pid) => peakMemoryMb(pid).toFixed(0)).join(', ')
  process.stdout.write(
    `${attacked.length} calls, ${failed.length} failed; ${restarted} of ${stacks.length} stacks ended; ` +
      `peak memory of the control plane and the stacks ${memory} MB\n`,
  )
  const [without, during] = stolen.map((share) => (share === undefined ? 'an unknown share' : `${share.toFixed(0)} %`))
  process.stdout.write(
    `Other virtual machines on the same host took ${without} of the CPU before the attack, ${during} during it\n`,
  )
  const isQuick = figures.every(({ measured, limit }) => measured <= limit)
  return { holds: isQuick && failed.length === 0 && restarted === 0 && attacked.length > 0 }
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.POSITIVE_INFINITY
}

/** Removes the system, prints the results and ends this process, with 1 if an attack succeeded or none ran. */
export async function closeFixture({ system }: Fixture, verdicts: readonly Verdict[]): Promise<never> {
  await system.remove()
  const failed = verdicts.filter(({ holds }) => !holds).length
  process.stdout.write(`\n${verdicts.length - failed} passed, ${failed} failed\n`)
  process.exit(failed === 0 && verdicts.length > 0 ? 0 : 1)
}
