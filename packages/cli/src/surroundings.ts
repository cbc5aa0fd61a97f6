import type { Output } from './output/output.ts'

/** Time as a part that is passed in, so that a test can move it. */
export interface Clock {
  now(): number
  sleep(ms: number): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/** What stands on the command line for every command. */
export interface GlobalOptions {
  api?: string
  token?: string
  format: 'text' | 'json'
}

/** What the process gives: nothing below reads it by itself. */
export interface Surroundings {
  /** The version of the tool. */
  version: string
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  /** As Node names it. */
  system: NodeJS.Platform
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  out: Output
  clock: Clock
}
