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

/** One change of the desk. Changes come one after another, whoever makes them. */
export interface Turn {
  readonly tx: Tx
  /** The time of this change, which no other has. */
  readonly at: Date
  /** The time that due times go by: that of the change, unless a clock that was ahead has left the desk's own ahead. */
  readonly slaAt: Date
  /** Heard on the bus once the change is committed. */
  tell(event: TicketEventName, row: RequestRow, changed?: readonly string[]): void
}

export type TakeTurn = <T>(work: (turn: Turn) => Promise<T>) => Promise<T>

export interface TurnParts {
  db: Database
  clock: Clock
  bus: Bus
  /** A request was written whose next moment is this. */
  onAlert(at: Date): void
}

/** More than a burst of changes, a millisecond each, puts the desk ahead of the clock. */
const MAX_AHEAD_MS = 60_000

export function createTurns({ db, clock, bus, onAlert }: TurnParts): TakeTurn {
  let last: Promise<unknown> = Promise.resolve()

  async function take<T>(work: (turn: Turn) => Promise<T>): Promise<T> {
    const told: [TicketEventName, RequestRow, readonly string[] | undefined][] = []
    const result = await db.transaction(async (tx) => {
      const now = clock.now()
      const at = await advanceClock(tx, now)
      const slaAt = at.getTime() - now.getTime() > MAX_AHEAD_MS ? now : at
      return work({ tx, at, slaAt, tell: (...event) => void told.push(event as never) })
    })
    for (const [event, row, changed] of told) {
      bus.publish(row.buildingId, `service-desk.ticket.${event}`, () => toEvent(row, clock.now(), changed))
      const alert = alertAt(row)
      if (alert !== null) onAlert(alert)
    }
    return result
  }

  // In line before a connection is taken: those who wait would keep the others from reading.
  return (work) => {
    const turn = last.then(() => take(work))
    last = turn.catch(() => undefined)
    return turn
  }
}
