import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { Bus } from '../../bus/index.ts'
import type { Desk } from './desk.ts'
import { createRequestIndex } from './request-index.ts'
import { createSlaWatch } from './sla-loop.ts'
import { createTransactions } from './transactions.ts'
import { linkWorkOrders } from './work-orders.ts'

export interface ServiceDesk extends Desk {
  start(): void
  /** The time of the next warning or breach, or null if there is none. */
  nextDue(): Promise<Date | null>
  /** Resolves when all due warnings and breaches are published, and all work order events are processed. */
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
  const transaction = createTransactions({ db, clock, bus, onAlert: (at) => watch.expect(at) })
  const desk: Desk = { db, clock, transaction, index: createRequestIndex(db) }
  const workOrders = linkWorkOrders(desk, bus, log)
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
