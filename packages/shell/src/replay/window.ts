const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000]

/** The ranges of a replay. Each has 288 to 360 frames, so that all ranges play equally smoothly. */
export const REPLAY_RANGES = {
  day: { rangeMs: DAY_MS, stepMs: 5 * MINUTE_MS, interval: '5m' },
  week: { rangeMs: 7 * DAY_MS, stepMs: 30 * MINUTE_MS, interval: '30m' },
  month: { rangeMs: 30 * DAY_MS, stepMs: 2 * HOUR_MS, interval: '2h' },
} as const
export type ReplayRange = keyof typeof REPLAY_RANGES

/** The time that a replay covers, in frames of `stepMs`. */
export interface ReplayWindow {
  range: ReplayRange
  from: number
  to: number
  stepMs: number
  interval: string
  count: number
}

export const isReplayRange = (text: string | null): text is ReplayRange =>
  text !== null && Object.hasOwn(REPLAY_RANGES, text)

/**
 * The range up to now, or around `at` if `at` is before that range. Its start and its end are multiples of the step,
 * so the last step can end after now.
 */
export function windowFor(range: ReplayRange, now: number, at?: number): ReplayWindow {
  const { rangeMs, stepMs, interval } = REPLAY_RANGES[range]
  const endOf = (instant: number) => (Math.floor(instant / stepMs) + 1) * stepMs
  const isEarlier = at !== undefined && at < endOf(now) - rangeMs
  const to = isEarlier ? Math.min(endOf(at + rangeMs / 2), endOf(now)) : endOf(now)
  return { range, from: to - rangeMs, to, stepMs, interval, count: rangeMs / stepMs }
}

/** The frame that shows an instant; the first or the last frame if the instant is outside the window. */
export const frameAt = ({ from, stepMs, count }: ReplayWindow, at: number): number =>
  Math.min(Math.max(Math.floor((at - from) / stepMs), 0), count - 1)

export const timeOf = ({ from, stepMs }: ReplayWindow, frame: number): number => from + frame * stepMs
