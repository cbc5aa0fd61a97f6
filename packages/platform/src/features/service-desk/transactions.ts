import type { EventName } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database, Tx } from '@storey/kit/database'
import type { Bus } from '../../bus/index.ts'
import { deskTime } from './desk-clock.ts'
import { toEvent } from './record.ts'
import type { RequestRow } from './requests.store.ts'
import { alertAt } from './sla.ts'

type Ticket<N> = N extends `service-desk.ticket.${infer E}` ? E : never
export type TicketEventName = Ticket<EventName>

/** A transaction that changes the desk. Such transactions run one after another, across all processes. */
export interface DeskTransaction {
  readonly tx: Tx
  /** The unique time of this change. */
  readonly at: Date
  /** Due times are computed from this time: `at`, or the current time if the desk's clock is far ahead (`deskTime`). */
  readonly slaAt: Date
  /** Publishes an event on the bus after the commit. */
  publish(event: TicketEventName, row: RequestRow, changed?: readonly string[]): void
}

export type RunTransaction = <T>(work: (transaction: DeskTransaction) => Promise<T>) => Promise<T>

export interface TransactionParts {
  db: Database
  clock: Clock
  bus: Bus
  /** Called after an event of a request with a pending alert (a warning or a breach), with the time of the alert. */
  onAlert(at: Date): void
}

export function createTransactions({ db, clock, bus, onAlert }: TransactionParts): RunTransaction {
  let last: Promise<unknown> = Promise.resolve()

  async function run<T>(work: (transaction: DeskTransaction) => Promise<T>): Promise<T> {
    const published: [TicketEventName, RequestRow, readonly string[] | undefined][] = []
    const result = await db.transaction(async (tx) => {
      const { at, slaAt } = await deskTime(tx, clock.now())
      return work({ tx, at, slaAt, publish: (...event) => void published.push(event as never) })
    })
    for (const [event, row, changed] of published) {
      bus.publish(row.buildingId, `service-desk.ticket.${event}`, () => toEvent(row, clock.now(), changed))
      const alert = alertAt(row)
      if (alert !== null) onAlert(alert)
    }
    return result
  }

  // Transactions wait here before they take a database connection, so that they do not occupy the connections that
  // reads need.
  return (work) => {
    const transaction = last.then(() => run(work))
    last = transaction.catch(() => undefined)
    return transaction
  }
}
