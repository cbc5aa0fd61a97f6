import type { AggregatedHistory, RawHistory } from '@storey/contract'
import type { BucketValue } from './aggregate.ts'
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

/**
 * A raw history as JSON text, of the rows given by their index in the series. A page has up to ten thousand rows:
 * writing the text directly takes a fifth of the time that objects take.
 */
export function rawText(head: Omit<RawHistory, 'data'>, series: Series, rows: Iterable<number>): string {
  const { times, values, sources } = series
  const iso = createIsoWriter()
  let source: string | null = null
  let end = ',"source":null}'
  let data = ''
  for (const i of rows) {
    const from = sources?.[i] ?? null
    if (from !== source) {
      source = from
      end = `,"source":${JSON.stringify(source)}}`
    }
    data += `,{"timestamp":"${iso(times[i]!)}","value":"${values[i]!}"${end}`
  }
  return withData(head, data)
}

export function bucketsText(head: Omit<AggregatedHistory, 'data'>, buckets: readonly BucketValue[]): string {
  const iso = createIsoWriter()
  let data = ''
  for (const { start, value, count } of buckets)
    data += `,{"timestamp":"${iso(start)}","value":${finite(value)},"count":${count}}`
  return withData(head, data)
}

/** JSON has no infinity, and a sum may overflow to it. */
export function finite(value: number): number {
  return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE)
}

const withData = (head: object, data: string) => `${JSON.stringify(head).slice(0, -1)},"data":[${data.slice(1)}]}`
