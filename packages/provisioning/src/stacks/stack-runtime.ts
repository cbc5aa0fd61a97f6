import type { Socket } from 'node:net'
import type { SeedConfig, SeedResult, ServeConfig, StackCommand } from '@storey/contract'

import type { StacksReport } from './stack-reports.ts'

export interface StackExit {
  exitCode: number | null
  signal: string | null
}

/** A stack ended before it listened. */
export class StackEnded extends Error {
  readonly exit: StackExit
  constructor(exit: StackExit) {
    super(`the stack ended before it listened (code ${exit.exitCode}, signal ${exit.signal})`)
    this.exit = exit
  }
}

/** Where a running stack is reached, and how to learn that it ended. */
export interface RunningStack {
  host: string
  port: number
  /** Resolves when the stack is gone, for whatever reason. */
  ended: Promise<void>
  /** How it ended. */
  exit?(): StackExit
  /**
   * Gives it a client's connection, with what was read of it: from here on nothing is passed through this process.
   * Resolves when the connection has ended. Absent where stacks run on other machines.
   */
  transferConnection?(socket: Socket, read: Buffer): Promise<void>
}

/** Hears when a stack next has something to do by itself: at once when it runs, at every change, and before it ends. */
export type OnDue = (at: Date | null) => void

/** How stacks run: child processes on one machine, or pods where one machine is outgrown. */
export interface StackRuntime {
  /** Fills an empty database. Rejects with a SeedError, also when the signal says to give up, or with DatabaseUnavailable. */
  seed(config: SeedConfig, report: (percent: number, step: string) => void, signal: AbortSignal): Promise<SeedResult>
  /** Resolves when the stack listens. */
  start(config: ServeConfig, onDue: OnDue, onStorage?: (bytes: number) => void): Promise<RunningStack>
  /** An order to a stack that runs; lost when none does. */
  send(sandboxId: string, command: StackCommand): void
  /** Resolves when the stack is gone; at once when it was not there. */
  stop(sandboxId: string): Promise<void>
  status(sandboxId: string): 'stopped' | 'starting' | 'running'
  /** How things go in all stacks that run. */
  report(): Promise<StacksReport>
  /** What a stack may keep on disk, gone with the sandbox. */
  removeFiles(sandboxId: string): Promise<void>
  listFiles(): Promise<string[]>
}

/** A stack did not start, or fill its database, because that could not serve it: nothing is wrong with the stack. */
export class DatabaseUnavailable extends Error {}

/** The stack will not run on its database, whose schema is another than the program's. */
export class SchemaMismatch extends Error {
  override name = 'SchemaMismatch'
  readonly state: 'behind' | 'ahead'
  constructor(state: 'behind' | 'ahead') {
    super(`the schema of the database is ${state}`)
    this.state = state
  }
}

/** Its message may be shown to the sandbox's owner. */
export class SeedError extends Error {
  override name = 'SeedError'
}
