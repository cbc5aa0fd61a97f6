import type { PoolReport, SandboxStatus } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { ClockCheck } from '@storey/kit/clock-check'
import type { Database } from '@storey/kit/database'
import { createLastKnown } from '@storey/kit/last-known'
import { countDeadLetters } from './features/dead-letters/index.ts'
import { countExpired, countMigrations, type MigrationCounts, statusCounts } from './features/sandboxes/index.ts'
import type { Mqtt, MqttCounts } from './mqtt/index.ts'
import {
  type CapacityState,
  countOverdue,
  type StackPool,
  type StackRuntime,
  type StacksReport,
} from './stacks/index.ts'
import { CONTROL_SERVER, type ServerState, type TenantServers } from './tenants/index.ts'

/** Figures that are read from the control database. */
interface StoredFigures {
  sandboxes: Record<SandboxStatus | 'expired', number>
  migrations: MigrationCounts
  /** Stored MQTT dead letters. */
  deadLetters: number
  /** The number of dead letters by sandbox, for the sandboxes that have the most. */
  deadLettersBySandbox: Record<string, number>
  /** Stopped stacks whose work is overdue. */
  stacksOverdue: number
}

/** Values for the metrics. While the control database does not answer, its figures are the last that were read. */
export interface ControlFigures extends Partial<StoredFigures> {
  /** False while the control database does not answer. */
  isDatabaseUp: boolean
  /** The connections of this process to the control database. */
  pool: PoolReport
  clocks: ReturnType<ClockCheck['state']>
  stacksRunning: number
  /**
   * For each database server: how many PostgreSQL connections all stacks together may open, how many of these are
   * assigned to stacks, and how many stacks wait for connections.
   */
  capacity: CapacityState[]
  /** The database servers other than that of the control database. */
  databaseServers: ServerState[]
  mqtt: MqttCounts | undefined
  /**
   * Observations of all running stacks: how many wait for folding, and how long the oldest has waited. `folded` counts
   * the observations that stacks folded since this process started, including stacks that have ended.
   */
  observations: { waiting: number; oldestWaitsMs: number; folded: number }
  /** The memory of all running stacks, and how much of it requests use. */
  requests: StacksReport['requests']
  /** The requests that all running stacks hold back for other reasons than memory. */
  queues: StacksReport['queues']
  /** Runs of the background loops of all running stacks. */
  stackLoops: StacksReport['loops']
  /** The last report of each running stack, by sandbox. */
  stacks: StacksReport['stacks']
}

export interface ControlFiguresParts {
  control: Database
  clock: Clock
  clockCheck: ClockCheck
  runtime: StackRuntime
  stacks: StackPool
  mqtt: Mqtt | undefined
  servers: Pick<TenantServers, 'list'>
}

const DATABASE_LIMIT_MS = 1_500
const MAX_SANDBOXES = 50
/**
 * A stopped stack is woken a few seconds before its work is due, so work that has been due for longer than this is
 * delayed.
 */
const OVERDUE_MS = 60_000

/** Returns a function that reads the figures in less than three seconds, even if the database does not answer. */
export function createControlFigures(parts: ControlFiguresParts): () => Promise<ControlFigures> {
  const { control, clock, clockCheck, runtime, stacks, mqtt, servers } = parts
  const readStored = createLastKnown(async (): Promise<StoredFigures> => {
    const { total, bySandbox } = await countDeadLetters(control, MAX_SANDBOXES)
    return {
      sandboxes: { ...(await statusCounts(control)), expired: await countExpired(control) },
      migrations: await countMigrations(control),
      deadLetters: total,
      deadLettersBySandbox: bySandbox,
      stacksOverdue: await countOverdue(control, new Date(clock.now().getTime() - OVERDUE_MS)),
    }
  }, DATABASE_LIMIT_MS)

  return async () => {
    const [stored, report] = await Promise.all([readStored(), runtime.report()])
    const { folding, requests, queues, loops, stacks: reports } = report
    const { waiting, oldestAtMs, folded } = folding
    const oldestWaitsMs = oldestAtMs === null ? 0 : Math.max(0, clock.now().getTime() - oldestAtMs)
    return {
      ...stored.value,
      isDatabaseUp: stored.isCurrent,
      pool: control.connections(),
      clocks: clockCheck.state(),
      stacksRunning: stacks.running().length,
      capacity: stacks.capacity(),
      databaseServers: servers.list().filter(({ id }) => id !== CONTROL_SERVER),
      mqtt: mqtt?.counts(),
      observations: { waiting, oldestWaitsMs, folded },
      requests,
      queues,
      stackLoops: loops,
      stacks: reports,
    }
  }
}
