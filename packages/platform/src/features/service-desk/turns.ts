import type { EventName } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database, Tx } from '@storey/kit/database'
import type { Bus } from '../../bus/index.ts'
import { toEvent } from './record.ts'
import type { RequestRow } from './requests.store.ts'
import { alertAt } from './sla.ts'
import { advanceClock } from './turns.store.ts'

type Ticket<N> = N extends `service-desk.ticket.${infer E}` ? E : never
export type TicketEventName = Ticket<EventName>

/** One change of the desk. Changes run one after another, in all processes. */
export interface Turn {
  readonly tx: Tx
  /** The time of this change, which no other has. */
  readonly at: Date
  /** The time for due times: that of the change, unless a clock that was ahead has left the desk's own ahead. */
  readonly slaAt: Date
  /** Published on the bus after the commit. */
  publish(event: TicketEventName, row: RequestRow, changed?: readonly string[]): void
}

export type RunTurn = <T>(work: (turn: Turn) => Promise<T>) => Promise<T>

export interface TurnParts {
  db: Database
  clock: Clock
  bus: Bus
  /** A request was written whose next alert is at this time. */
  onAlert(at: Date): void
}

/** A larger lead than a burst of changes, a millisecond each, can cause. */
const MAX_AHEAD_MS = 60_000

export function createTurns({ db, clock, bus, onAlert }: TurnParts): RunTurn {
  let last: Promise<unknown> = Promise.resolve()

  async function take<T>(work: (turn: Turn) => Promise<T>): Promise<T> {
    const published: [TicketEventName, RequestRow, readonly string[] | undefined][] = []
    const result = await db.transaction(async (tx) => {
      const now = clock.now()
      const at = await advanceClock(tx, now)
      const slaAt = at.getTime() - now.getTime() > MAX_AHEAD_MS ? now : at
      return work({ tx, at, slaAt, publish: (...event) => void published.push(event as never) })
    })
    for (const [event, row, changed] of published) {
      bus.publish(row.buildingId, `service-desk.ticket.${event}`, () => toEvent(row, clock.now(), changed))
      const alert = alertAt(row)
      if (alert !== null) onAlert(alert)
    }
    return result
  }

  // Queued before a connection is taken: waiting changes would block readers.
  return (work) => {
    const turn = last.then(() => take(work))
    last = turn.catch(() => undefined)
    return turn
  }
}
