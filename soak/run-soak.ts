import { writeFileSync } from 'node:fs'
import { actorsOf } from '../acceptance/system/actors.ts'
import { freePort, startSystem } from '../acceptance/system/system.ts'
import { type Figure, report } from '../bench/report.ts'
import { newTower } from '../bench/tower.ts'
import { drawMemory } from './draw-memory.ts'
import { growth, type Sample, sampleMemory } from './sample-memory.ts'

type Tower = Awaited<ReturnType<typeof newTower>>

export interface Soak extends Tower {
  actors: ReturnType<typeof actorsOf>
  /** A key for sandboxes. */
  key: string
  isOver(): boolean
  /** Does one piece of work. Returns false if it failed; the failure is counted and printed. */
  attempt(work: () => Promise<unknown>): Promise<boolean>
}

export interface Load {
  run(): Promise<void>
  /** What was done, in one line. */
  summary(): string
}

const SAMPLES = 1_000
const MAX_STACK_MB = 350
const MAX_GROWTH = 1.1

/**
 * Runs a load for the number of minutes in the second argument of the command, or for `defaultMinutes`. Then prints
 * what failed and how memory grew, and writes a chart of the memory to `soak-<name>.svg`. Exits with 1 if a figure is
 * over its limit.
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
          failures++
          process.stderr.write(`${minute().toFixed(1)} min: ${(err as Error).message}\n${newOutput()}`)
          await new Promise((resolve) => setTimeout(resolve, 1_000))
          return false
        }
      },
    }
    const load = await open(soak)
    const samples: Sample[] = []
    const sample = () => void samples.push(sampleMemory(system.pid, minute()))
    const sampling = setInterval(sample, Math.max(1_000, (minutes * 60_000) / SAMPLES))
    await load.run()
    clearInterval(sampling)
    sample()
    writeFileSync(`soak-${name}.svg`, drawMemory(`Memory in ${minutes} minutes, ${name}`, samples))
    process.stdout.write(`${load.summary()}\nThe chart of the memory is soak-${name}.svg\n`)
    const figures: Figure[] = [
      { what: 'failed requests', measured: failures, limit: 0, unit: '' },
      {
        what: 'peak memory of a stack',
        measured: Math.max(...samples.map(({ stack }) => stack)),
        limit: MAX_STACK_MB,
        unit: 'MB',
      },
      {
        what: 'memory growth of the stack in the second half',
        measured: growth(samples, 'stack'),
        limit: MAX_GROWTH,
        unit: '×',
      },
      {
        what: 'memory growth of the control plane in the second half',
        measured: growth(samples, 'controlPlane'),
        limit: MAX_GROWTH,
        unit: '×',
      },
      {
        what: 'memory growth of PostgreSQL in the second half',
        measured: growth(samples, 'postgres'),
        limit: MAX_GROWTH,
        unit: '×',
      },
    ]
    report(`soak ${name}, ${minutes} minutes`, figures)
    if (figures.some(({ measured, limit }) => measured > limit)) process.exitCode = 1
  } finally {
    await system.remove()
  }
}
