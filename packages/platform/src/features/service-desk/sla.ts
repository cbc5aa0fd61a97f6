import { LIMITS, type RequestPriority, type RequestState, type SlaState } from '@storey/contract'

/** The fields that the SLA of a request depends on. */
export type SlaClock = {
  state: RequestState
  priority: RequestPriority
  dueAt: Date
  /** Since when the clock is paused, or null while it runs. */
  pausedAt: Date | null
  /** The latest due time for which a warning was published; null if no warning was published. */
  warnedFor: Date | null
  /** The latest due time for which a breach was published; null if no breach was published. */
  breachedFor: Date | null
}

/** A warning or a breach, by the name of its event. */
export type Alert = 'sla_warning' | 'sla_breached'

const HOUR_MS = 3_600_000
const RUNNING: ReadonlySet<RequestState> = new Set(['new', 'assigned', 'in_progress'])
const DONE: ReadonlySet<RequestState> = new Set(['resolved', 'closed', 'cancelled'])

const slaMs = (priority: RequestPriority) => LIMITS.request.slaHours[priority] * HOUR_MS

export function firstDueAt(priority: RequestPriority, createdAt: Date): Date {
  return new Date(createdAt.getTime() + slaMs(priority))
}

function warnAt({ priority, dueAt }: SlaClock): Date {
  return new Date(dueAt.getTime() - Math.round(slaMs(priority) * (1 - LIMITS.request.slaWarning)))
}

/** The time at which the SLA is evaluated: now, or when the clock was paused. */
const evaluatedAt = ({ pausedAt }: SlaClock, now: Date) => pausedAt ?? now

/**
 * Changes the state. The clock of the SLA is paused while a request is on hold or done. When it resumes, the due time,
 * `warnedFor` and `breachedFor` move by the length of the pause.
 */
export function withState<T extends SlaClock>(clock: T, state: RequestState, at: Date): T {
  const { pausedAt, dueAt, warnedFor, breachedFor } = clock
  if (!RUNNING.has(state)) return { ...clock, state, pausedAt: pausedAt ?? at }
  if (pausedAt === null) return { ...clock, state }
  const pauseMs = Math.max(0, at.getTime() - pausedAt.getTime())
  const later = (time: Date) => new Date(time.getTime() + pauseMs)
  return {
    ...{ ...clock, state, pausedAt: null, dueAt: later(dueAt) },
    ...{ warnedFor: warnedFor && later(warnedFor), breachedFor: breachedFor && later(breachedFor) },
  }
}

/** Changes the priority, and with it the due time. */
export function withPriority<T extends SlaClock>(clock: T, priority: RequestPriority): T {
  return { ...clock, priority, dueAt: new Date(clock.dueAt.getTime() - slaMs(clock.priority) + slaMs(priority)) }
}

/** Whether the breach of this due time, or of a later one, was published. */
const isBreachPublished = ({ dueAt, breachedFor }: SlaClock) => breachedFor !== null && dueAt <= breachedFor
/** A published breach counts as a published warning too, since a warning after it would be too late. */
const isWarningPublished = (clock: SlaClock) =>
  isBreachPublished(clock) || (clock.warnedFor !== null && clock.dueAt <= clock.warnedFor)

/** Marks a due warning or breach as published. At most one of them is due, since a breach includes its warning. */
export function markDueAlert<T extends SlaClock>(clock: T, now: Date): { clock: T; alert?: Alert } {
  const { dueAt, pausedAt } = clock
  if (pausedAt !== null) return { clock }
  if (dueAt <= now) {
    return isBreachPublished(clock) ? { clock } : { clock: { ...clock, breachedFor: dueAt }, alert: 'sla_breached' }
  }
  if (warnAt(clock) > now || isWarningPublished(clock)) return { clock }
  return { clock: { ...clock, warnedFor: dueAt }, alert: 'sla_warning' }
}

export function alertAt(clock: SlaClock): Date | null {
  if (clock.pausedAt !== null || isBreachPublished(clock)) return null
  return isWarningPublished(clock) ? clock.dueAt : warnAt(clock)
}

/** When a request becomes overdue, in milliseconds; null if it is done, or if it was put on hold before it was due. */
export function overdueAt(state: RequestState, dueAtMs: number, pausedAtMs: number | null): number | null {
  if (DONE.has(state)) return null
  return pausedAtMs === null || dueAtMs <= pausedAtMs ? dueAtMs : null
}

export function isOverdue({ state, dueAt, pausedAt }: SlaClock, now: Date): boolean {
  const late = overdueAt(state, dueAt.getTime(), pausedAt?.getTime() ?? null)
  return late !== null && late <= now.getTime()
}

export function slaState(clock: SlaClock, now: Date): SlaState {
  const at = evaluatedAt(clock, now)
  if (clock.dueAt <= at) return 'breached'
  if (DONE.has(clock.state)) return 'met'
  return warnAt(clock) <= at ? 'warning' : 'on_time'
}
