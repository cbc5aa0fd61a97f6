import { isAcceptedTime } from './check-observation.ts'
import type { Observations } from './observations.ts'
import { type PointIndex, UUID_LENGTH } from './point-index.ts'
import { MAX_EXACT_DIGITS, POWERS } from './read-number.ts'
import { readTime } from './read-time.ts'
import type { Cursor } from './scanned.ts'
import { word } from './word.ts'

const [QUOTE, MINUS, DOT, ZERO, NINE] = [34, 45, 46, 48, 57]
const POINT_KEY = '{"pointId":"'
const VALUE_KEY = '","value":"'
const TIME_KEY = '","timestamp":"'
const TIME_LENGTH = '2026-03-01T08:00:00.000Z'.length
/** An object of the usual form, together with the beginning of the next one, is shorter than this. */
const MAX_LENGTH = 160

const [POINT_1, POINT_2, POINT_3] = [word(POINT_KEY, 0), word(POINT_KEY, 4), word(POINT_KEY, 8)]
const [VALUE_1, VALUE_2, VALUE_3] = [word(VALUE_KEY, 0), word(VALUE_KEY, 4), word(VALUE_KEY, 7)]
const [TIME_1, TIME_2, TIME_3, TIME_4] = [word(TIME_KEY, 0), word(TIME_KEY, 4), word(TIME_KEY, 8), word(TIME_KEY, 11)]

export interface PlainObjectOptions {
  points: PointIndex
  /** The byte between two objects. */
  separator: number
  /** The latest accepted time. */
  latest: number
}

/**
 * Reads objects of the usual form, `{"pointId":"…","value":"21.5","timestamp":"…Z"}`, as long as another object
 * follows. Stops before the last objects, and before an object of another form: the caller reads these itself.
 * For speed, this function uses only local variables and compares four bytes at a time.
 */
export function scanPlainObjects(
  bytes: Buffer,
  cursor: Cursor,
  maxCount: number,
  { points, separator, latest }: PlainObjectOptions,
  { points: numbers, times, values }: Observations,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const end = word(`"}${String.fromCharCode(separator)}{`, 0)
  const lastStart = bytes.length - MAX_LENGTH
  let { at: object, count } = cursor
  /**
   * The bytes of the last time that was parsed; `time` is its value. Observations of one request often have the same
   * time, which is then parsed only once.
   */
  let [time1, time2, time3, time4, time5, time6] = [0, 0, 0, 0, 0, 0]
  let time = Number.NaN
  while (count < maxCount && object <= lastStart) {
    let at = object
    if (view.getInt32(at, true) !== POINT_1) break
    if (view.getInt32(at + 4, true) !== POINT_2 || view.getInt32(at + 8, true) !== POINT_3) break
    at += POINT_KEY.length
    const number = points.findLowerCase(view, at)
    at += UUID_LENGTH
    if (number === 0 || view.getInt32(at, true) !== VALUE_1) break
    if (view.getInt32(at + 4, true) !== VALUE_2 || view.getInt32(at + 7, true) !== VALUE_3) break
    at += VALUE_KEY.length
    const isNegative = bytes[at] === MINUS
    if (isNegative) at++
    const first = at
    let digits = 0
    let decimals = -1
    let byte = bytes[at]!
    // The loop stops after `MAX_EXACT_DIGITS` + 1 bytes even if the number is longer, so that no later read passes the
    // end of `bytes`.
    for (const limit = at + MAX_EXACT_DIGITS + 1; byte !== QUOTE && at < limit; byte = bytes[++at]!) {
      if (byte >= ZERO && byte <= NINE) {
        digits = digits * 10 + (byte - ZERO)
        if (decimals >= 0) decimals++
      } else if (byte === DOT && decimals < 0 && at > first) decimals = 0
      else break
    }
    if (at === first || at - first > MAX_EXACT_DIGITS || view.getInt32(at, true) !== TIME_1) break
    if (view.getInt32(at + 4, true) !== TIME_2 || view.getInt32(at + 8, true) !== TIME_3) break
    if (view.getInt32(at + 11, true) !== TIME_4) break
    at += TIME_KEY.length
    // The last digits differ most often, so they are compared first.
    if (
      Number.isNaN(time) ||
      view.getInt32(at + 20, true) !== time6 ||
      view.getInt32(at + 16, true) !== time5 ||
      view.getInt32(at + 12, true) !== time4 ||
      view.getInt32(at + 8, true) !== time3 ||
      view.getInt32(at + 4, true) !== time2 ||
      view.getInt32(at, true) !== time1
    ) {
      time = readTime(bytes, at, at + TIME_LENGTH)
      if (!isAcceptedTime(time, latest)) break
      time1 = view.getInt32(at, true)
      time2 = view.getInt32(at + 4, true)
      time3 = view.getInt32(at + 8, true)
      time4 = view.getInt32(at + 12, true)
      time5 = view.getInt32(at + 16, true)
      time6 = view.getInt32(at + 20, true)
    }
    at += TIME_LENGTH
    if (view.getInt32(at, true) !== end) break
    const value = decimals > 0 ? digits / POWERS[decimals]! : digits
    numbers[count] = number
    values[count] = isNegative ? -value : value
    times[count] = time
    count++
    object = at + 3
  }
  cursor.at = object
  cursor.count = count
}
