import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { Bus } from '../../bus/index.ts'
import type { Desk } from './desk.ts'
import { createRequestIndex } from './request-index.ts'
import { createSlaWatch } from './sla-watch.ts'
import { createTurns } from './turns.ts'
import { followWorkOrders } from './work-orders.ts'

export interface ServiceDesk extends Desk {
  start(): void
  /** The next warning or breach; null: nothing is to come. */
  nextDue(): Promise<Date | null>
  /** What is due now was told, and what was heard of work orders is written. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface DeskParts {
  db: Database
  clock: Clock
  bus: Bus
  log: Log
}

export function createServiceDesk({ db, clock, bus, log }: DeskParts): ServiceDesk {
  const watch = createSlaWatch(() => desk, clock, log)
  const turn = createTurns({ db, clock, bus, onAlert: (at) => watch.expect(at) })
  const desk: Desk = { db, clock, turn, index: createRequestIndex(db) }
  const workOrders = followWorkOrders(desk, bus, log)
  return {
    ...desk,
    start: watch.start,
    nextDue: watch.nextDue,
    async idle() {
      await workOrders.idle()
      await watch.idle()
    },
    async close() {
      await workOrders.close()
      await watch.close()
    },
  }
}
