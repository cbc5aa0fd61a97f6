import { type RequestRecord, requestNumber, type TicketEvent } from '@storey/contract'
import type { RequestRow } from './requests.store.ts'
import { isOverdue, slaState } from './sla.ts'

/** The record of a request at a given time, since `overdue` and `slaState` depend on the time. */
export function toRecord(row: RequestRow, now: Date): RequestRecord {
  const { createdAt, updatedAt, dueAt, pausedAt, warnedFor, breachedFor, number, ...rest } = row
  return {
    ...rest,
    number: requestNumber(number),
    dueAt: dueAt.toISOString(),
    overdue: isOverdue(row, now),
    slaState: slaState(row, now),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

export function toEvent(row: RequestRow, now: Date, changed?: readonly string[]): TicketEvent {
  const { id, description, ...rest } = toRecord(row, now)
  return { requestId: id, ...rest, ...(changed ? { changed: [...changed] } : {}) }
}
