import type { ExternalIdIndex } from './external-id-index.ts'
import type { Observations } from './observations.ts'
import { type PointIndex, UUID_LENGTH } from './point-index.ts'
import { DIGITS_BELOW, MAX_DIGITS, type Precision } from './read-epoch.ts'
import { MAX_EXACT_DIGITS, POWERS } from './read-number.ts'
import type { Cursor } from './scanned.ts'

const [NEWLINE, SPACE, COMMA, MINUS, DOT, ZERO, NINE, EQUALS, BACKSLASH] = [10, 32, 44, 45, 46, 48, 57, 61, 92]
const [A, E, I, L, N, O, P, S, T, U, V] = [97, 101, 105, 108, 110, 111, 112, 115, 116, 117, 118]

export interface PlainLineOptions {
  points: PointIndex
  externalIds: ExternalIdIndex
  precision: Precision
  now: number
  /** The latest accepted time. */
  latest: number
}

/**
 * Reads lines of the usual form, `<point>[,tag=…] value=<number>[ <timestamp>]`, up to the first other line, which the
 * caller reads. It has only local variables and no calls for single bytes, which makes it several times faster.
 */
export function scanPlainLines(
  bytes: Uint8Array,
  cursor: Cursor,
  end: number,
  { points, externalIds, precision, now, latest }: PlainLineOptions,
  { points: numbers, times, values }: Observations,
): void {
  const below = DIGITS_BELOW[precision]
  const unitMs = precision === 's' ? 1000 : 1
  let { at: line, count } = cursor
  lines: while (line < end && count < numbers.length) {
    let at = line
    let number = 0
    // The point is the measurement, unless a tag names it.
    if (bytes[at + UUID_LENGTH] === SPACE) {
      number = points.find(bytes, at)
      at += UUID_LENGTH
    }
    if (number === 0) {
      at = line
      let byte = bytes[at]!
      while (byte > SPACE && byte !== COMMA && byte !== BACKSLASH && byte !== EQUALS) byte = bytes[++at]!
      let from = line
      let to = at
      while (byte === COMMA) {
        const key = ++at
        byte = bytes[at]!
        while (byte > SPACE && byte !== COMMA && byte !== BACKSLASH && byte !== EQUALS) byte = bytes[++at]!
        const length = at - key
        if (byte !== EQUALS || length === 0) break lines
        const value = ++at
        byte = bytes[at]!
        while (byte > SPACE && byte !== COMMA && byte !== BACKSLASH && byte !== EQUALS) byte = bytes[++at]!
        if (at === value) break lines
        if (length === 5 && bytes[key] === P && bytes[key + 1] === O && bytes[key + 2] === I) {
          if (bytes[key + 3] === N && bytes[key + 4] === T) {
            if (from !== line) break lines
            from = value
            to = at
          }
        } else if (length === 6 && bytes[key] === S) break lines
      }
      if (byte !== SPACE || to === from) break
      if (to - from === UUID_LENGTH) number = points.find(bytes, from)
      if (number === 0) number = externalIds.find(bytes, from, to)
      if (number === 0) break
    }
    // The field.
    if (bytes[at + 1] !== V || bytes[at + 2] !== A || bytes[at + 3] !== L) break
    if (bytes[at + 4] !== U || bytes[at + 5] !== E || bytes[at + 6] !== EQUALS) break
    at += 7
    const isNegative = bytes[at] === MINUS
    if (isNegative) at++
    const first = at
    let digits = 0
    let decimals = -1
    let byte = bytes[at]!
    for (; ; byte = bytes[++at]!) {
      if (byte >= ZERO && byte <= NINE) {
        digits = digits * 10 + (byte - ZERO)
        if (decimals >= 0) decimals++
      } else if (byte === DOT && decimals < 0 && at > first) decimals = 0
      else break
    }
    if (at === first || at - first > MAX_EXACT_DIGITS) break
    const value = decimals > 0 ? digits / POWERS[decimals]! : digits
    if (decimals < 0 && (byte === I || (byte === U && !isNegative))) byte = bytes[++at]!
    // The timestamp.
    let time = now
    if (byte === SPACE) {
      const start = ++at
      byte = bytes[at]!
      while (byte >= ZERO && byte <= NINE) byte = bytes[++at]!
      if (at - start > MAX_DIGITS || at === start) break
      time = 0
      for (let i = start; i < at - below; i++) time = time * 10 + (bytes[i]! - ZERO)
      time *= unitMs
      if (time > latest) break
    }
    if (byte !== NEWLINE && at < bytes.length) break
    numbers[count] = number
    values[count] = isNegative ? -value : value
    times[count] = time
    count++
    line = at + 1
  }
  cursor.at = Math.min(line, bytes.length)
  cursor.count = count
}
