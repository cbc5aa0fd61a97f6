import { parseInstant } from '@storey/contract'

let lastDate = -1
let lastDateMs = 0

/** Reads a timestamp as milliseconds since the epoch; NaN if it is invalid. Usual forms are read from the bytes. */
export function readTime(bytes: Buffer, from: number, to: number): number {
  const length = to - from
  // 2026-03-01T08:00:00Z and 2026-03-01T08:00:00.000Z
  if ((length === 20 || length === 24) && bytes[to - 1] === 90 && hasSigns(bytes, from)) {
    const date = digits(bytes, from, 4) * 10_000 + digits(bytes, from + 5, 2) * 100 + digits(bytes, from + 8, 2)
    const hour = digits(bytes, from + 11, 2)
    const minute = digits(bytes, from + 14, 2)
    const second = digits(bytes, from + 17, 2)
    const ms = length === 24 ? (bytes[from + 19] === 46 ? digits(bytes, from + 20, 3) : Number.NaN) : 0
    if (date >= 0 && hour < 24 && minute < 60 && second < 60 && ms >= 0) {
      if (date !== lastDate) {
        const midnight = parseInstant(`${bytes.toString('latin1', from, from + 10)}T00:00:00Z`)
        if (midnight === undefined) return Number.NaN
        lastDate = date
        lastDateMs = midnight
      }
      return lastDateMs + hour * 3_600_000 + minute * 60_000 + second * 1000 + ms
    }
  }
  return length > 64 ? Number.NaN : (parseInstant(bytes.toString('latin1', from, to)) ?? Number.NaN)
}

const hasSigns = (bytes: Buffer, at: number) =>
  bytes[at + 4] === 45 &&
  bytes[at + 7] === 45 &&
  bytes[at + 10] === 84 &&
  bytes[at + 13] === 58 &&
  bytes[at + 16] === 58

function digits(bytes: Buffer, from: number, count: number): number {
  let value = 0
  for (let i = from; i < from + count; i++) {
    const digit = bytes[i]! - 48
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}
