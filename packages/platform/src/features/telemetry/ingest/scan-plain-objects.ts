import { isAcceptedTime } from './check-observation.ts'
import type { Observations } from './observations.ts'
import { type PointIndex, UUID_LENGTH } from './point-index.ts'
import { MAX_EXACT_DIGITS, POWERS } from './read-number.ts'
import { readTime } from './read-time.ts'
import type { Cursor } from './scanned.ts'

const [QUOTE, MINUS, DOT, ZERO, NINE, BRACE] = [34, 45, 46, 48, 57, 123]
const POINT_KEY = Buffer.from('{"pointId":"')
const VALUE_KEY = Buffer.from('","value":"')
const TIME_KEY = Buffer.from('","timestamp":"')
const END = Buffer.from('"}')
const TIME_LENGTH = '2026-03-01T08:00:00.000Z'.length

export interface PlainObjectOptions {
  points: PointIndex
  /** The byte between two objects. */
  separator: number
  /** The latest accepted time. */
  latest: number
}

/**
 * Reads objects of the usual form, `{"pointId":"…","value":"21.5","timestamp":"…Z"}`, as long as another object
 * follows. The caller reads the last object, and the first one of another form. There are only local variables, which
 * is faster.
 */
export function scanPlainObjects(
  bytes: Buffer,
  cursor: Cursor,
  maxCount: number,
  { points, separator, latest }: PlainObjectOptions,
  { points: numbers, times, values }: Observations,
): void {
  let { at: object, count } = cursor
  /** The last time that was read and its position, since observations of one request often have the same time. */
  let lastTimeAt = -1
  let lastTime = 0
  while (count < maxCount) {
    if (!isAt(bytes, object, POINT_KEY)) break
    let at = object + POINT_KEY.length
    const number = points.find(bytes, at)
    at += UUID_LENGTH
    if (number === 0 || !isAt(bytes, at, VALUE_KEY)) break
    at += VALUE_KEY.length
    const isNegative = bytes[at] === MINUS
    if (isNegative) at++
    const first = at
    let digits = 0
    let decimals = -1
    let byte = bytes[at]!
    for (; byte !== QUOTE; byte = bytes[++at]!) {
      if (byte >= ZERO && byte <= NINE) {
        digits = digits * 10 + (byte - ZERO)
        if (decimals >= 0) decimals++
      } else if (byte === DOT && decimals < 0 && at > first) decimals = 0
      else break
    }
    if (at === first || at - first > MAX_EXACT_DIGITS || !isAt(bytes, at, TIME_KEY)) break
    const value = decimals > 0 ? digits / POWERS[decimals]! : digits
    at += TIME_KEY.length
    if (lastTimeAt < 0 || !isSame(bytes, at, lastTimeAt, TIME_LENGTH)) {
      lastTime = readTime(bytes, at, at + TIME_LENGTH)
      if (!isAcceptedTime(lastTime, latest)) break
      lastTimeAt = at
    }
    at += TIME_LENGTH
    if (!isAt(bytes, at, END) || bytes[at + 2] !== separator || bytes[at + 3] !== BRACE) break
    numbers[count] = number
    values[count] = isNegative ? -value : value
    times[count] = lastTime
    count++
    object = at + 3
  }
  cursor.at = object
  cursor.count = count
}

function isAt(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false
  return true
}

/** Compares from the end, where times differ first. */
function isSame(bytes: Uint8Array, one: number, other: number, length: number): boolean {
  for (let i = length - 1; i >= 0; i--) if (bytes[one + i] !== bytes[other + i]) return false
  return true
}
