import { MAX_SORTED, middleOf } from './aggregate.ts'
import type { Series } from './series.ts'

const DIGITS = 4
const DIGIT_VALUES = 65_536

/**
 * The median of values that do not fit into memory, by a radix search. The bits of doubles sort like the numbers if the
 * sign bit of positive numbers and all bits of negative numbers are flipped. The flipped bits are read as four digits
 * of 16 bits. Each pass finds one more digit of the median: it counts, by their next digit, the values that begin with
 * the digits found so far (the prefix). When these values are few enough to sort, a last pass collects them. This
 * usually takes two passes, and at most five.
 */
export async function medianOfMany(read: () => AsyncIterable<Series>, maxSorted = MAX_SORTED): Promise<number> {
  const prefix: number[] = []
  /** The index of the lower middle value among the values with the prefix. */
  let place = 0
  let count = Number.POSITIVE_INFINITY
  let isEven = false
  while (count > maxSorted && prefix.length < DIGITS) {
    const counts = await countDigits(read, prefix)
    if (prefix.length === 0) {
      const total = counts.reduce((sum, each) => sum + each, 0)
      if (total === 0) return Number.NaN
      isEven = total % 2 === 0
      place = isEven ? total / 2 - 1 : (total - 1) / 2
    }
    let digit = 0
    // Deletions since the last pass may leave fewer values than were counted.
    while (digit < DIGIT_VALUES - 1 && place >= counts[digit]!) place -= counts[digit++]!
    prefix.push(digit)
    count = counts[digit]!
  }
  const { among, next } = await collect(read, prefix, maxSorted)
  if (among.length === 0) return next
  const lower = among[Math.min(place, among.length - 1)]!
  return isEven ? middleOf(lower, place + 1 < count ? among[Math.min(place + 1, among.length - 1)]! : next) : lower
}

const number = new Float64Array(1)
const halves = new Uint32Array(number.buffer)
const key = [0, 0, 0, 0]

function setKey(value: number): void {
  number[0] = value
  const isNegative = halves[1]! >>> 31 === 1
  const high = isNegative ? ~halves[1]! : halves[1]! ^ 0x8000_0000
  const low = isNegative ? ~halves[0]! : halves[0]!
  key[0] = high >>> 16
  key[1] = high & 0xffff
  key[2] = low >>> 16
  key[3] = low & 0xffff
}

/** Negative if the value sorts before all values with the prefix, positive if after them. */
function compare(value: number, prefix: readonly number[]): number {
  setKey(value)
  for (let i = 0; i < prefix.length; i++) if (key[i] !== prefix[i]) return key[i]! - prefix[i]!
  return 0
}

async function countDigits(read: () => AsyncIterable<Series>, prefix: readonly number[]): Promise<Uint32Array> {
  const counts = new Uint32Array(DIGIT_VALUES)
  for await (const { values } of read()) {
    for (let i = 0; i < values.length; i++) if (compare(values[i]!, prefix) === 0) counts[key[prefix.length]!]!++
  }
  return counts
}

/** The values with the prefix, sorted, or one of them if all are equal; and the first value after them. */
async function collect(
  read: () => AsyncIterable<Series>,
  prefix: readonly number[],
  maxSorted: number,
): Promise<{ among: Float64Array; next: number }> {
  const max = prefix.length === DIGITS ? 1 : maxSorted
  const among: number[] = []
  let next = Number.POSITIVE_INFINITY
  for await (const { values } of read()) {
    for (let i = 0; i < values.length; i++) {
      const order = compare(values[i]!, prefix)
      if (order === 0 && among.length < max) among.push(values[i]!)
      if (order > 0 && values[i]! < next) next = values[i]!
    }
  }
  return { among: Float64Array.from(among).sort(), next }
}
