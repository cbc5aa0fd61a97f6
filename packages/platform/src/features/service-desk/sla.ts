import { type RequestPriority, type RequestState, SLA_HOURS, SLA_WARNING, type SlaState } from '@storey/contract'

/** What the clock of a request goes by. */
export type SlaClock = {
  state: RequestState
  priority: RequestPriority
  dueAt: Date
  /** Since when it rests; null: it runs. */
  restedAt: Date | null
  /** The latest due time of which the warning, or the breach, was told; null: none. */
  warnedFor: Date | null
  breachedFor: Date | null
}

export type Moment = 'sla_warning' | 'sla_breached'

const HOUR_MS = 3_600_000
const RUNNING: ReadonlySet<RequestState> = new Set(['new', 'assigned', 'in_progress'])
const DONE: ReadonlySet<RequestState> = new Set(['resolved', 'closed', 'cancelled'])

const slaMs = (priority: RequestPriority) => SLA_HOURS[priority] * HOUR_MS

export function firstDueAt(priority: RequestPriority, createdAt: Date): Date {
  return new Date(createdAt.getTime() + slaMs(priority))
}

function warnAt({ priority, dueAt }: SlaClock): Date {
  return new Date(dueAt.getTime() - Math.round(slaMs(priority) * (1 - SLA_WARNING)))
}

/** The moment by which a request is judged: now, or when its clock came to rest. */
const judgedAt = ({ restedAt }: SlaClock, now: Date) => restedAt ?? now

/** On hold and when done the clock rests; when it runs again the due time has moved by the rest, and with it what was told. */
export function moveClock<T extends SlaClock>(clock: T, state: RequestState, at: Date): T {
  const { restedAt, dueAt, warnedFor, breachedFor } = clock
  if (!RUNNING.has(state)) return { ...clock, state, restedAt: restedAt ?? at }
  if (restedAt === null) return { ...clock, state }
  const restMs = Math.max(0, at.getTime() - restedAt.getTime())
  const later = (time: Date) => new Date(time.getTime() + restMs)
  return {
    ...{ ...clock, state, restedAt: null, dueAt: later(dueAt) },
    ...{ warnedFor: warnedFor && later(warnedFor), breachedFor: breachedFor && later(breachedFor) },
  }
}

/** Another priority gives another due time. */
export function setPriority<T extends SlaClock>(clock: T, priority: RequestPriority): T {
  return { ...clock, priority, dueAt: new Date(clock.dueAt.getTime() - slaMs(clock.priority) + slaMs(priority)) }
}

/** A breach was told of this due time, or of a later one: whoever heard it hears nothing new. */
const breachIsTold = ({ dueAt, breachedFor }: SlaClock) => breachedFor !== null && dueAt <= breachedFor
/** After its breach a warning would come too late. */
const warningIsTold = (clock: SlaClock) =>
  breachIsTold(clock) || (clock.warnedFor !== null && clock.dueAt <= clock.warnedFor)

/** What has come to pass and was not told, as told now: one of the two, since a breach says more than its warning. */
export function passMoments<T extends SlaClock>(clock: T, now: Date): { clock: T; passed?: Moment } {
  const { dueAt, restedAt } = clock
  if (restedAt !== null) return { clock }
  if (dueAt <= now) {
    return breachIsTold(clock) ? { clock } : { clock: { ...clock, breachedFor: dueAt }, passed: 'sla_breached' }
  }
  if (warnAt(clock) > now || warningIsTold(clock)) return { clock }
  return { clock: { ...clock, warnedFor: dueAt }, passed: 'sla_warning' }
}

export function alertAt(clock: SlaClock): Date | null {
  if (clock.restedAt !== null || breachIsTold(clock)) return null
  return warningIsTold(clock) ? clock.dueAt : warnAt(clock)
}

/** From when it is overdue as things stand, in milliseconds; null when time cannot make it so. */
export function lateAt(state: RequestState, dueAtMs: number, restedAtMs: number | null): number | null {
  if (DONE.has(state)) return null
  return restedAtMs === null || dueAtMs <= restedAtMs ? dueAtMs : null
}

export function isOverdue({ state, dueAt, restedAt }: SlaClock, now: Date): boolean {
  const late = lateAt(state, dueAt.getTime(), restedAt?.getTime() ?? null)
  return late !== null && late <= now.getTime()
}

export function slaState(clock: SlaClock, now: Date): SlaState {
  const judged = judgedAt(clock, now)
  if (clock.dueAt <= judged) return 'breached'
  if (DONE.has(clock.state)) return 'met'
  return warnAt(clock) <= judged ? 'warning' : 'on_time'
}
