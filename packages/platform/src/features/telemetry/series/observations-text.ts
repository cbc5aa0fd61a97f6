import type { AggregatedHistory, RawHistory } from '@storey/contract'
import type { BucketValue } from './aggregate.ts'
import { JsonRows } from './json-rows.ts'
import type { Series } from './series.ts'

const DAY_MS = 86_400_000
const digits = (count: number, length: number) =>
  Array.from({ length: count }, (_, i) => String(i).padStart(length, '0'))
const MINUTES = digits(24, 2).flatMap((hour) => digits(60, 2).map((minute) => `T${hour}:${minute}:`))
const SECONDS = digits(60, 2).map((second) => `${second}.`)
const MILLISECONDS = digits(1000, 3).map((millisecond) => `${millisecond}Z`)

/** Writes instants like `toISOString`. The text of the date is cached, because consecutive instants mostly share it. */
export function createIsoWriter(): (instant: number) => string {
  let dayStart = Number.NaN
  let date = ''
  return (instant) => {
    let offset = instant - dayStart
    if (!(offset >= 0 && offset < DAY_MS)) {
      dayStart = Math.floor(instant / DAY_MS) * DAY_MS
      offset = instant - dayStart
      date = new Date(dayStart).toISOString().split('T')[0]!
    }
    const second = Math.floor(offset / 1000)
    return date + MINUTES[Math.floor(second / 60)]! + SECONDS[second % 60]! + MILLISECONDS[offset % 1000]!
  }
}

/** The bytes of a row with a usual value. */
const ROW_BYTES = 80
const RAW_ROW = { before: '{"timestamp":"', after: '","value":"' }
const BUCKET_ROW = { before: '{"timestamp":"', after: '","value":' }
const COUNT = Buffer.from(',"count":')
const BUCKET_END = Buffer.from('},')

/** The first `count` rows of the series as JSON, in the form of a raw history. */
export function rawText(head: Omit<RawHistory, 'data'>, series: Series, count: number): Buffer {
  const { times, values, sources } = series
  const json = new JsonRows(headOf(head), RAW_ROW, (count + 1) * ROW_BYTES)
  let source: string | null = null
  let end = rawEnd(null)
  for (let i = 0; i < count; i++) {
    const from = sources?.[i] ?? null
    if (from !== source) {
      source = from
      end = rawEnd(source)
    }
    json.row(times[i]!).number(values[i]!).raw(end)
  }
  return json.end(']}')
}

const rawEnd = (source: string | null) => Buffer.from(`","source":${JSON.stringify(source)}},`)

export function bucketsText(head: Omit<AggregatedHistory, 'data'>, buckets: readonly BucketValue[]): Buffer {
  const json = new JsonRows(headOf(head), BUCKET_ROW, (buckets.length + 1) * ROW_BYTES)
  for (const { start, value, count } of buckets)
    json.row(start).number(finite(value)).raw(COUNT).number(count).raw(BUCKET_END)
  return json.end(']}')
}

/** Limits a value to finite numbers: a sum may overflow to infinity, which JSON cannot express. */
export function finite(value: number): number {
  return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE)
}

const headOf = (head: object) => `${JSON.stringify(head).slice(0, -1)},"data":[`
