import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import type { Context } from '../context.ts'
import { createContext } from '../create-context.ts'
import type { Clock } from '../environment.ts'
import { Output } from '../output/output.ts'
import { run } from '../run.ts'

/** A clock that advances by each sleep, and records the sleeps. */
export interface TestClock extends Clock {
  readonly slept: number[]
  /** Called at the beginning of each sleep, with the time that has passed. */
  onSleep?: (passedMs: number) => void | Promise<void>
}

export function testClock(start = Date.UTC(2026, 0, 1)): TestClock {
  let now = start
  const clock: TestClock = {
    slept: [],
    now: () => now,
    async sleep(ms) {
      clock.slept.push(ms)
      await clock.onSleep?.(now - start)
      now += ms
    },
  }
  return clock
}

class Sink {
  text = ''
  isTTY: boolean
  columns = 80

  readonly #onOutput: (text: string) => void

  constructor(isTerminal: boolean, onOutput: (text: string) => void = () => undefined) {
    this.isTTY = isTerminal
    this.#onOutput = onOutput
  }

  write(data: string | Uint8Array): void {
    const text = typeof data === 'string' ? data : Buffer.from(data).toString('utf8')
    this.text += text
    this.#onOutput(text)
  }
}

export interface TestRun {
  code: number
  stdout: string
  stderr: string
  context: Context
}

export interface TestOptions {
  env?: Record<string, string>
  clock?: Clock
  version?: string
  cwd?: string
  stdin?: string
  /** Whether stdin, stdout and stderr are a terminal. */
  terminal?: boolean
  /** Called with what the tool writes to stderr, while it runs. */
  onOutput?: (text: string) => void
}

/** Variables that keep the tool away from the machine's keyring and home folder. */
export function newHome(): Record<string, string> {
  return { XDG_CONFIG_HOME: temporaryFolder('svc-home'), SVC_SDK_TOKEN_STORE: 'file' }
}

/** Runs the tool in this process, as a shell would. */
export async function runTool(words: readonly string[], options: TestOptions = {}): Promise<TestRun> {
  const { terminal = false, version = '1.14.0', cwd = tmpdir(), clock = testClock() } = options
  const [stdout, stderr] = [new Sink(terminal), new Sink(terminal, options.onOutput)]
  const env = { ...newHome(), ...options.env }
  const stdin = Object.assign(Readable.from([options.stdin ?? '']), { isTTY: terminal })
  const out = new Output(stdout, stderr, env)
  const context = createContext({ version, env, cwd, system: 'linux', stdin, out, clock }, { format: 'text' })
  const code = await run(context, words)
  return { code, stdout: stdout.text, stderr: stderr.text, context }
}
