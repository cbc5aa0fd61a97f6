import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf } from '../acceptance/system/actors.ts'
import { freePort, startSystem } from '../acceptance/system/system.ts'
import { report } from '../bench/report.ts'
import { newTower } from '../bench/tower.ts'
import { drawMemory } from './draw-memory.ts'
import { growthOf, peakOfStack } from './memory-growth.ts'
import { explainUnread, findStack, PART_NAMES, PARTS, type Sample, sampleMemory } from './sample-memory.ts'

type Tower = Awaited<ReturnType<typeof newTower>>

export interface Soak extends Tower {
  actors: ReturnType<typeof actorsOf>
  /** A key for sandboxes. */
  key: string
  isOver(): boolean
  /** Does one piece of work. Returns false if it failed; the failure is counted and printed. */
  attempt(work: () => Promise<unknown>): Promise<boolean>
  /** Counts and prints a failure that no work reports. */
  fail(message: string): void
}

export interface Load {
  run(): Promise<void>
  /** What was done, in one line. */
  summary(): string
}

const SAMPLES = 1_000

/**
 * Runs a load for the number of minutes in the second argument of the command, or for `defaultMinutes`. Then prints
 * what failed and how memory grew, and writes a chart of the memory to `soak-<name>.svg`. Exits with 1 if a figure is
 * over its limit or could not be measured, or if the stack was restarted, which would hide how its memory grew.
 * A run of a few minutes mostly shows the growth after the start, which can be over the limit.
 */
export async function runSoak(
  name: string,
  defaultMinutes: number,
  open: (soak: Soak) => Load | Promise<Load>,
): Promise<void> {
  const minutes = Number(process.argv[3] ?? defaultMinutes)
  if (!(minutes > 0)) throw new Error(`"${process.argv[3]}" is not a number of minutes`)
  const system = await startSystem({
    env: {
      RATE_LIMIT_PER_MINUTE: '0',
      SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
      SANDBOX_STORAGE_MB: '0',
      MQTT_ENABLED: 'true',
      MQTT_PORT: String(await freePort()),
    },
  })
  try {
    const tower = await newTower(system)
    const actors = actorsOf(system)
    const key = await actors.operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
    const startedAt = performance.now()
    const minute = () => (performance.now() - startedAt) / 60_000
    let failures = 0
    let printed = system.output().length
    /** What the service has logged since the last failure. */
    const newOutput = (): string => {
      const text = system.output().slice(printed)
      printed += text.length
      return text
    }
    const fail = (message: string) => {
      failures++
      process.stderr.write(`${minute().toFixed(1)} min: ${message}\n${newOutput()}`)
    }
    const soak: Soak = {
      ...tower,
      actors,
      key,
      isOver: () => minute() >= minutes,
      async attempt(work) {
        try {
          await work()
          return true
        } catch (err) {
          fail((err as Error).message)
          await sleep(1_000)
          return false
        }
      },
      fail,
    }
    // A day of load without a result would be a waste.
    const unread = explainUnread(sampleMemory(system.pid, 0))
    if (unread !== undefined) throw new Error(unread)
    const { sandboxId } = tower.record
    const stackPid = findStack(sandboxId)
    const load = await open(soak)
    const samples: Sample[] = []
    const sample = () => {
      const taken = sampleMemory(system.pid, minute())
      const unread = explainUnread(taken)
      if (unread !== undefined) process.stderr.write(`${minute().toFixed(1)} min: ${unread}\n`)
      samples.push(taken)
    }
    const sampling = setInterval(sample, Math.max(1_000, (minutes * 60_000) / SAMPLES))
    await load.run()
    clearInterval(sampling)
    sample()
    writeFileSync(`soak-${name}.svg`, drawMemory(`Memory in ${minutes} minutes, ${name}`, samples))
    process.stdout.write(`${load.summary()}\nThe chart of the memory is soak-${name}.svg\n`)
    const isGood = report(`soak ${name}, ${minutes} minutes`, [
      { what: 'failed requests', measured: failures, limit: 0, unit: '' },
      { what: 'restarts of the stack', measured: findStack(sandboxId) === stackPid ? 0 : 1, limit: 0, unit: '' },
      peakOfStack(samples.map(({ stack }) => stack)),
      ...PARTS.map((part) =>
        growthOf(
          PART_NAMES[part],
          samples.map((sample) => sample[part]),
        ),
      ),
    ])
    if (!isGood) process.exitCode = 1
  } finally {
    await system.remove()
  }
}
