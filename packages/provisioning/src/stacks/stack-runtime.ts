import type { SeedConfig, SeedResult, ServeConfig } from '@storey/contract'

/** Where a running stack is reached, and how to learn that it ended. */
export interface RunningStack {
  host: string
  port: number
  /** Resolves when the stack is gone, for whatever reason. */
  ended: Promise<void>
}

/** How stacks run: child processes on one machine, or pods where one machine is outgrown. */
export interface StackRuntime {
  /** Fills an empty database. Rejects with a SeedError, also when the signal says to give up. */
  seed(config: SeedConfig, report: (percent: number, step: string) => void, signal: AbortSignal): Promise<SeedResult>
  /** Resolves when the stack listens. */
  start(config: ServeConfig): Promise<RunningStack>
  /** Resolves when the stack is gone; at once when it was not there. */
  stop(sandboxId: string): Promise<void>
  status(sandboxId: string): 'stopped' | 'starting' | 'running'
  /** What a stack may keep on disk, gone with the sandbox. */
  removeFiles(sandboxId: string): Promise<void>
  listFiles(): Promise<string[]>
}

/** Its message may be shown to the sandbox's owner. */
export class SeedError extends Error {
  override name = 'SeedError'
}
