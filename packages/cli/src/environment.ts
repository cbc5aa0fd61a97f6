import type { Output } from './output/output.ts'

/** Time is passed in, so that a test can control it. */
export interface Clock {
  now(): number
  sleep(ms: number): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/** The options of every command. */
export interface GlobalOptions {
  api?: string
  token?: string
  format: 'text' | 'json'
}

/** The parts of the process that the tool uses. A test replaces them. */
export interface Environment {
  /** The version of the tool. */
  version: string
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  /** `process.platform`. */
  system: NodeJS.Platform
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  out: Output
  clock: Clock
}
