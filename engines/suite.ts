import { inspect } from 'node:util'
import { EngineMissing } from './fetch/cache.ts'

/** The checks of one engine. They run one after another, and each is a line of the report. */
export interface Suite {
  /** Prints the name and version of an engine that was started. */
  engine(name: string, version: string): void
  check(what: string, run: () => Promise<unknown>): Promise<void>
  /** Runs when the suite ends, in reverse order, even after a failure. */
  onEnd(stop: () => unknown): void
}

/**
 * Runs a suite and prints its report. The exit code is 0 if every check passed, 1 if one failed or none was run, and 69
 * if the engine is missing on this machine.
 */
export async function runSuite(name: string, body: (suite: Suite) => Promise<void>): Promise<void> {
  const ends: (() => unknown)[] = []
  let [passed, failed] = [0, 0]
  const suite: Suite = {
    engine: (engine, version) => void process.stdout.write(`${engine} ${version}\n`),
    async check(what, run) {
      const from = performance.now()
      try {
        const detail = await run()
        passed++
        const seconds = ((performance.now() - from) / 1000).toFixed(1)
        process.stdout.write(`  good  ${what} (${seconds} s)${typeof detail === 'string' ? `: ${detail}` : ''}\n`)
      } catch (err) {
        if (err instanceof EngineMissing) throw err
        failed++
        process.stdout.write(`  FAIL  ${what}: ${err instanceof Error ? inspect(err) : err}\n`)
      }
    },
    onEnd: (stop) => void ends.unshift(stop),
  }
  try {
    await body(suite)
  } catch (err) {
    if (!(err instanceof EngineMissing)) throw err
    process.stdout.write(`${err.message}\n`)
    process.exitCode = 69
  } finally {
    for (const stop of ends) await stop()
  }
  if (process.exitCode === 69) return
  process.stdout.write(`${name}: ${passed} passed, ${failed} failed\n`)
  if (failed > 0 || passed === 0) process.exitCode = 1
}
