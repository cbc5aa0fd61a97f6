import Type, { type Static } from 'typebox'

/** A time in a response. */
export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC, milliseconds' })
export type Timestamp = Static<typeof Timestamp>

/** The form of a time in a request. */
const ISO_8601 = /^(\d{4})-?(\d\d)-?(\d\d)[Tt ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?(Z|z|[+-]\d\d(?::?\d\d)?)$/

/**
 * Converts an ISO 8601 date and time with an offset to milliseconds since the epoch. Returns undefined for any other
 * text. Digits beyond milliseconds are cut off. A time without an offset is refused, because it is ambiguous.
 */
export function parseInstant(text: string): number | undefined {
  // In a query, a plus sign that was not escaped arrives as a space.
  const match = ISO_8601.exec(text.replace(/ (?=\d\d(:?\d\d)?$)/, '+'))
  if (!match) return undefined
  const [, year, month, day, hour, minute, second = '0', fraction = '', offset] = match
  const date = [Number(year), Number(month) - 1, Number(day)] as const
  const time = [Number(hour), Number(minute), Number(second), Number(fraction.slice(0, 3).padEnd(3, '0'))] as const
  const local = utc(date, time)
  const noon = utc(date, [12, 0, 0, 0])
  const isDay = noon.getUTCDate() === date[2] && noon.getUTCMonth() === date[1]
  const isMidnight = time.join() === '24,0,0,0'
  const isTime = time[0] < 24 && time[1] < 60 && time[2] < 60
  if (!isDay || !(isTime || isMidnight)) return undefined
  const minutes = offsetMinutes(offset!)
  return minutes === undefined ? undefined : local.getTime() - minutes * 60_000
}

/** Replaces `Date.UTC`, which treats the years 0 to 99 as 1900 to 1999. */
function utc(date: readonly [number, number, number], time: readonly [number, number, number, number]): Date {
  const result = new Date(0)
  result.setUTCFullYear(...date)
  result.setUTCHours(...time)
  return result
}

function offsetMinutes(offset: string): number | undefined {
  if (offset === 'Z' || offset === 'z') return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(3).replace(':', ''))
  if (hours > 23 || minutes > 59) return undefined
  return (offset[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}
