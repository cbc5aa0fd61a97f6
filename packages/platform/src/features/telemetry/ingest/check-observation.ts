import { LIMITS } from '@storey/contract'

const { earliestMs, aheadMs, valueLength, sourceLength } = LIMITS.observation

/** Notes what is wrong with a field of an observation. */
export type NoteError = (field: 'pointId' | 'value' | 'timestamp' | 'source', detail: string) => void

export interface ScanTimes {
  /** The time of observations without a timestamp. */
  now: number
  /** The latest timestamp that is accepted. */
  latest: number
}

/**
 * `now` is the time of arrival. No timestamp may be more than `aheadMs` later than `latestClock`. If a timestamp is
 * refused, the caller tries again with the latest of several clocks, because the clock of this process may be behind.
 */
export const scanTimes = (now: number, latestClock = now): ScanTimes => ({ now, latest: latestClock + aheadMs })

export const isAcceptedTime = (time: number, latest: number): boolean => time <= latest && time >= earliestMs

/** Notes an error if the time is not accepted. `time` is NaN if the timestamp could not be read. */
export function checkTime(time: number, latest: number, note: NoteError): void {
  if (Number.isNaN(time)) note('timestamp', 'must be an ISO 8601 date and time with an offset')
  else if (time > latest) note('timestamp', `is more than ${aheadMs / 3_600_000} hours in the future`)
  else if (time < earliestMs) note('timestamp', 'is before the year 1')
}

/** Checks a value that is not a number. */
export function checkText(text: string, note: NoteError): void {
  if (text.length > valueLength) note('value', `must have at most ${valueLength} characters`)
  if (text.includes('\0')) note('value', 'contains a NUL character')
}

export function checkSource(text: string, note: NoteError): void {
  if (text.length === 0 || text.length > sourceLength) note('source', `must have 1 to ${sourceLength} characters`)
  if (text.includes('\0')) note('source', 'contains a NUL character')
}
