import type { Database, Queryable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { StartupError } from '@storey/kit/startup-error'
import type { Operation, TenantServers } from '@storey/provisioning/operator'
import type { Realms } from '../realms.ts'
import type { Arguments, Syntax } from './arguments.ts'
import type { ServiceLink } from './service-link.ts'

export interface CommandDeps {
  control: Database
  log: Log
  /** Who runs the command, for the audit log. */
  operator: string
  /** Adds a row to the audit log of the operator, in the transaction of the change if it has one. */
  record(db: Queryable, operation: Operation): Promise<void>
  service: ServiceLink
  /** Prints a line while the command runs. With --json this function does nothing. */
  print(line: string): void
  stacksFolder: string
  expiryGraceMs: number
  /** Opens the servers with databases of sandboxes. Only commands that need the servers call this function. */
  openServers(): Promise<TenantServers>
  /** Opens the realms. Only commands that need the realms call this function, because it is slow. */
  openRealms(): Promise<Realms>
}

/** The result of a command: for people, and for programs (--json). */
export interface Output {
  text: string
  json: unknown
  /** 0 if absent. */
  exitCode?: number
  /** Why the command failed although it has a result. The result is printed before this error. */
  error?: StartupError
}

export interface Command extends Syntax {
  /** Whether the command changes nothing with these arguments. Absent: it may change something. */
  isReadOnly?(args: Arguments): boolean
  run(deps: CommandDeps, args: Arguments): Promise<Output>
}
