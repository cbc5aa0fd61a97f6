import type { ExternalIdIndex } from './external-id-index.ts'
import type { Observations } from './observations.ts'
import { type PointIndex, UUID_LENGTH } from './point-index.ts'
import { DIGITS_BELOW, MAX_DIGITS, type Precision } from './read-epoch.ts'
import { MAX_EXACT_DIGITS, POWERS } from './read-number.ts'
import { type Cursor, MAX_LINE_BYTES } from './scanned.ts'
import { word } from './word.ts'

const [NEWLINE, SPACE, COMMA, MINUS, DOT, ZERO, NINE, EQUALS, BACKSLASH] = [10, 32, 44, 45, 46, 48, 57, 61, 92]
const [HASH, I, S, U] = [35, 105, 115, 117]
const POINT_KEY = 'point='
const [POINT_1, POINT_2] = [word(POINT_KEY, 0), word(POINT_KEY, 2)]
const FIELD = ' value='
const [FIELD_1, FIELD_2] = [word(FIELD, 0), word(FIELD, 3)]

/** 1 for bytes at which a name ends, and for the backslash, which begins an escape. */
const ENDS_NAME = new Uint8Array(256).fill(1, 0, SPACE + 1)
for (const byte of [COMMA, EQUALS, BACKSLASH]) ENDS_NAME[byte] = 1

export interface PlainLineOptions {
  points: PointIndex
  externalIds: ExternalIdIndex
  precision: Precision
  now: number
  /** The latest accepted time. */
  latest: number
}

/**
 * Reads lines of the usual form, `<point>[,tag=…] value=<number>[ <timestamp>]`. Stops at the first line of another
 * form, and the caller reads that line. The function has only local variables, calls no function for a single byte, and
 * compares four or eight bytes at a time. This makes it several times faster.
 */
export function scanPlainLines(
  bytes: Uint8Array,
  cursor: Cursor,
  end: number,
  { points, externalIds, precision, now, latest }: PlainLineOptions,
  { points: numbers, times, values }: Observations,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const below = DIGITS_BELOW[precision]
  const unitMs = precision === 's' ? 1000 : 1
  const { length } = bytes
  let { at: line, count } = cursor
  /** The last timestamp, and where its digits are: a timestamp with the same digits need not be parsed. */
  let lastTime = 0
  let lastTimeAt = 0
  let lastDigits = 0
  /** How many bytes of a line come before the id, and the start of an earlier line that begins with the same bytes. */
  let prefix = 0
  let prefixAt = line
  lines: while (line < end && count < numbers.length) {
    let at = line + prefix
    let number = 0
    // Most lines begin like the previous line, up to the id.
    if (bytes[at + UUID_LENGTH] === SPACE && (prefix === 0 || isSame(view, line, prefixAt, prefix))) {
      number = points.findLowerCase(view, at)
      at += UUID_LENGTH
    }
    if (number === 0) {
      at = line
      // The point is the measurement, unless a tag names it.
      while (at < length && ENDS_NAME[bytes[at]!] === 0) at++
      if (at === line || bytes[line] === HASH) break
      let from = line
      let to = at
      while (bytes[at] === COMMA) {
        const key = ++at
        while (at < length && ENDS_NAME[bytes[at]!] === 0) at++
        if (bytes[at] !== EQUALS || at === key) break lines
        const value = ++at
        const isPoint =
          value - key === POINT_KEY.length &&
          view.getInt32(key, true) === POINT_1 &&
          view.getInt32(key + 2, true) === POINT_2
        // An id of the usual form is looked up without a search for its end.
        if (isPoint && bytes[at + UUID_LENGTH] === SPACE && from === line) {
          number = points.findLowerCase(view, at)
          if (number !== 0) {
            prefix = at - line
            prefixAt = line
            at += UUID_LENGTH
            break
          }
        }
        while (at < length && ENDS_NAME[bytes[at]!] === 0) at++
        if (at === value) break lines
        if (isPoint) {
          if (from !== line) break lines
          from = value
          to = at
        } else if (value - key === 7 && bytes[key] === S) break lines
      }
      if (number === 0) {
        if (bytes[at] !== SPACE || to === from) break
        if (to - from === UUID_LENGTH) number = points.find(bytes, from)
        if (number !== 0 && from === line) prefix = 0
        if (number === 0) number = externalIds.find(bytes, from, to)
        if (number === 0) break
      }
    }
    if (at + FIELD.length > length) break
    if (view.getInt32(at, true) !== FIELD_1 || view.getInt32(at + 3, true) !== FIELD_2) break
    at += FIELD.length
    const isNegative = bytes[at] === MINUS
    if (isNegative) at++
    const first = at
    let digits = 0
    let decimals = -1
    let byte = bytes[at]!
    for (const limit = first + MAX_EXACT_DIGITS; at <= limit; byte = bytes[++at]!) {
      if (byte >= ZERO && byte <= NINE) {
        digits = digits * 10 + (byte - ZERO)
        if (decimals >= 0) decimals++
      } else if (byte === DOT && decimals < 0 && at > first) decimals = 0
      else break
    }
    if (at === first || at - first > MAX_EXACT_DIGITS) break
    const value = decimals > 0 ? digits / POWERS[decimals]! : digits
    if (decimals < 0 && (byte === I || (byte === U && !isNegative))) byte = bytes[++at]!
    let time = now
    if (byte === SPACE) {
      const start = ++at
      const after = start + lastDigits
      const next = bytes[after]!
      if (lastDigits > 0 && (next === NEWLINE || after === length) && isSame(view, start, lastTimeAt, lastDigits)) {
        at = after
        byte = next
        time = lastTime
      } else {
        byte = bytes[at]!
        while (byte >= ZERO && byte <= NINE) byte = bytes[++at]!
        if (at - start > MAX_DIGITS || at === start) break
        time = 0
        for (let i = start; i < at - below; i++) time = time * 10 + (bytes[i]! - ZERO)
        time *= unitMs
        if (time > latest) break
        if (at - start >= 4) {
          lastTime = time
          lastTimeAt = start
          lastDigits = at - start
        }
      }
    }
    if ((byte !== NEWLINE && at < length) || at - line > MAX_LINE_BYTES) break
    numbers[count] = number
    values[count] = isNegative ? -value : value
    times[count] = time
    count++
    line = at + 1
  }
  cursor.at = Math.min(line, length)
  cursor.count = count
}

/**
 * Compares at least four bytes, the last ones first, since timestamps differ there. Eight bytes are compared as a
 * double. Bytes that form NaN never count as the same, so the caller then reads them again. Bytes that form 0 and −0
 * would count as the same, but neither a number nor a name contains them.
 */
function isSame(view: DataView, one: number, other: number, length: number): boolean {
  if (length < 8) {
    if (view.getInt32(one + length - 4, true) !== view.getInt32(other + length - 4, true)) return false
    return view.getInt32(one, true) === view.getInt32(other, true)
  }
  for (let i = length - 8; i > 0; i -= 8) {
    if (view.getFloat64(one + i, true) !== view.getFloat64(other + i, true)) return false
  }
  return view.getFloat64(one, true) === view.getFloat64(other, true)
}
