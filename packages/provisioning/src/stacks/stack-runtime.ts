import type { Socket } from 'node:net'
import type { SeedConfig, SeedResult, ServeConfig, StackCommand } from '@storey/contract'

import type { Replicas, StackAddress } from './replicas.ts'
import type { StacksReport } from './stack-reports.ts'
import type { DirectIngestTransfer } from './transfer-connection.ts'

export interface StackExit {
  exitCode: number | null
  signal: string | null
}

/** A stack exited before it listened. */
export class StackEnded extends Error {
  readonly exit: StackExit
  constructor(exit: StackExit) {
    super(`the stack exited before it listened (code ${exit.exitCode}, signal ${exit.signal})`)
    this.exit = exit
  }
}

/** A stack did not listen within its time limit, and was ended. The next start of a child process has more time. */
export class StartTimedOut extends Error {
  override name = 'StartTimedOut'
  constructor(limitMs: number, cpuSeconds: number | undefined) {
    const used = cpuSeconds === undefined ? '' : `, with ${cpuSeconds.toFixed(1)} s of CPU time`
    super(`the stack did not listen within ${Math.round(limitMs / 1000)} s${used}`)
  }
}

/** A running stack: its address, its end, and how connections are transferred to it. */
export interface RunningStack extends StackAddress {
  /** Resolves when the stack has ended, for whatever reason. */
  ended: Promise<void>
  /** The exit code or signal of the stack's process. */
  exit?(): StackExit
  /** The processes of the stack; absent if the stack is a child process. `host` and `port` are those of one of them. */
  replicas?: Replicas
  /**
   * Transfers a client connection to the stack, with the bytes already read. Resolves when the connection has ended.
   * Absent when stacks run on other machines.
   */
  transferConnection?(socket: Socket, read: Buffer): Promise<void>
  /**
   * Transfers client connections that carry only ingest requests or MQTT messages. Absent when stacks run on other
   * machines, and on Windows.
   */
  directIngest?: DirectIngestTransfer
}

/**
 * Called with the time of a stack's next due work, or null if there is none: after the stack has started, at every
 * change, and before the stack stops.
 */
export type OnDue = (at: Date | null) => void

/**
 * Called for each process of a stack when the process listens, before it gets requests. `send` sends a command to the
 * process, and resolves when the process has taken the command.
 */
export type OnReplica = (send: (command: StackCommand) => Promise<void>) => Promise<void>

/** How stacks run: as child processes, or as pods on several machines. */
export interface StackRuntime {
  /**
   * True if every control plane can reach the stacks, and they outlive the control plane that started them. Then all
   * control planes serve at the same time, and the leader starts and stops stacks. `start` of a running stack
   * connects to it, and `stop` also stops a stack that this process is not connected to.
   */
  isShared?: boolean
  /** How many stacks start at a time; absent: about as many as this machine has CPU cores. */
  maxStarting?: number
  /** How many processes serve each stack; absent: one. */
  replicas?: number
  /** Ends the connection to a stack of a shared runtime. The stack keeps running. */
  detach?(sandboxId: string): void
  /**
   * Seeds an empty database. Rejects with SeedError, also when aborted, or with DatabaseUnavailable, SeedKilled or
   * RuntimeUnavailable.
   */
  seed(config: SeedConfig, report: (percent: number, step: string) => void, signal: AbortSignal): Promise<SeedResult>
  /**
   * Resolves when the stack listens. If the stack has several processes, one that listens is enough. A shared runtime
   * calls `onReplica`.
   */
  start(
    config: ServeConfig,
    onDue: OnDue,
    onStorage?: (bytes: number) => void,
    onReplica?: OnReplica,
  ): Promise<RunningStack>
  /** Starts preparations, such as spare processes, that make the next start of a stack quicker. */
  prepare?(): void
  /**
   * Sends a command to a running stack, to each of its replicas if it has several. The command is dropped when the
   * stack does not run.
   */
  send(sandboxId: string, command: StackCommand): void
  /** Resolves when the stack has ended; immediately if none runs. */
  stop(sandboxId: string): Promise<void>
  status(sandboxId: string): 'stopped' | 'starting' | 'running'
  /**
   * The sandboxes whose stack runs or starts. A shared runtime also lists stacks that this process is not connected to,
   * and does not need a request for each sandbox.
   */
  listRunning(): Promise<string[]>
  /** The process id of a stack; absent when stacks run on other machines. */
  pidOf?(sandboxId: string): number | undefined
  /** A report of all running stacks. */
  report(): Promise<StacksReport>
  /** Removes the files of a sandbox, and everything else that it has in a cluster. */
  removeFiles(sandboxId: string): Promise<void>
  /** The ids of the sandboxes that have files. */
  listFiles(): Promise<string[]>
}

/** A stack could not start or seed because its database is unavailable. */
export class DatabaseUnavailable extends Error {}

/** What runs the stacks, such as a cluster, cannot be reached now. */
export class RuntimeUnavailable extends Error {
  override name = 'RuntimeUnavailable'
}

/** The schema of the stack's database does not match the program. */
export class SchemaMismatch extends Error {
  override name = 'SchemaMismatch'
  readonly state: 'behind' | 'ahead'
  /** The schema version of the database. */
  readonly version: number
  constructor(state: 'behind' | 'ahead', version: number) {
    super(`the schema of the database is ${state}`)
    this.state = state
    this.version = version
  }
}

/**
 * The process that seeds was killed, by a signal from outside or for lack of memory, or could not be started. Seeding
 * can be repeated.
 */
export class SeedKilled extends Error {
  /** The reason, for the sandbox's owner. */
  readonly reason: string
  constructor(message: string, reason = 'its process was ended or could not be started') {
    super(message)
    this.reason = reason
  }
}

/** Seeding failed. The message of this error may be shown to the sandbox's owner. */
export class SeedError extends Error {
  override name = 'SeedError'
}
