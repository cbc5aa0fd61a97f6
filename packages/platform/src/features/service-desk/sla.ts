import { type RequestPriority, type RequestState, SLA_HOURS, SLA_WARNING, type SlaState } from '@storey/contract'

/** What the clock of a request goes by. */
export type SlaClock = {
  state: RequestState
  priority: RequestPriority
  dueAt: Date
  /** Since when it rests; null: it runs. */
  restedAt: Date | null
  /** What was told of this due time. */
  warned: boolean
  breached: boolean
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

/** On hold and when done the clock rests; when it runs again the due time has moved by the rest. */
export function moveClock<T extends SlaClock>(clock: T, state: RequestState, at: Date): T {
  const { restedAt, dueAt } = clock
  if (!RUNNING.has(state)) return { ...clock, state, restedAt: restedAt ?? at }
  if (restedAt === null) return { ...clock, state }
  const restMs = Math.max(0, at.getTime() - restedAt.getTime())
  return { ...clock, state, restedAt: null, dueAt: new Date(dueAt.getTime() + restMs) }
}

/** Another priority gives another due time. What was told of the old one holds only where the new one has passed too. */
export function setPriority<T extends SlaClock>(clock: T, priority: RequestPriority, at: Date): T {
  const dueAt = new Date(clock.dueAt.getTime() - slaMs(clock.priority) + slaMs(priority))
  const moved = { ...clock, priority, dueAt }
  const judged = judgedAt(moved, at)
  return { ...moved, warned: clock.warned && warnAt(moved) <= judged, breached: clock.breached && dueAt <= judged }
}

/** What has come to pass and was not told, as told now. */
export function passMoments<T extends SlaClock>(clock: T, now: Date): { clock: T; passed: Moment[] } {
  const passed: Moment[] = []
  if (clock.restedAt !== null) return { clock, passed }
  if (!clock.warned && warnAt(clock) <= now) passed.push('sla_warning')
  if (!clock.breached && clock.dueAt <= now) passed.push('sla_breached')
  const told = (moment: Moment) => passed.includes(moment)
  const warned = clock.warned || told('sla_warning')
  const breached = clock.breached || told('sla_breached')
  return { clock: passed.length === 0 ? clock : { ...clock, warned, breached }, passed }
}

export function alertAt(clock: SlaClock): Date | null {
  if (clock.restedAt !== null || (clock.warned && clock.breached)) return null
  return clock.warned ? clock.dueAt : warnAt(clock)
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
