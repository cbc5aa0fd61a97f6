/** Loads for benchmarks: messages of a thousand observations on four connections, sent as fast as they are accepted. */

import { Agent, request } from 'node:http'
import { connectPublisher, type MqttTarget } from './mqtt-publisher.ts'

export const MESSAGE_SIZE = 1000
export const CONNECTIONS = 4
/**
 * How many messages of one MQTT connection may be unacknowledged at a time: one is stored while the next one arrives,
 * which is close to the load over HTTP.
 */
const WINDOW = 2
const AN_HOUR_AGO = Date.now() - 3_600_000

/** A message. Its times and values are overwritten in place before each send, because this takes little CPU time. */
export interface Message {
  bytes: Buffer
  stamp(round: number): void
}

interface Format {
  line(point: string, value: string, time: string): string
  head: string
  between: string
  tail: string
  time(atMs: number): string
}

const JSON_FORMAT: Format = {
  line: (pointId, value, timestamp) => JSON.stringify({ pointId, value, timestamp }),
  head: '{"observations":[',
  between: ',',
  tail: ']}',
  time: (atMs) => new Date(atMs).toISOString(),
}
const LINES = { head: '', between: '\n', tail: '\n', time: String }

const FORMATS = {
  /** Storey's JSON, for REST and MQTT. */
  json: JSON_FORMAT,
  /** Line protocol that Storey, InfluxDB and VictoriaMetrics read. */
  lines: { ...LINES, line: (point, value, time) => `o,point=${point} value=${value} ${time}` },
  /** The JSON that VictoriaMetrics imports: an observation on each line. */
  victoria: {
    ...LINES,
    line: (point, value, time) =>
      `{"metric":{"__name__":"o","point":"${point}"},"values":[${value}],"timestamps":[${time}]}`,
  },
} satisfies Record<string, Format>

const DIGIT = '^'

function messageIn(format: Format, points: readonly string[], fromMs: number): Message {
  const mark = '~'.repeat(format.time(fromMs).length)
  const lines = points.map((point, i) => format.line(point, `${18 + (i % 8)}.${DIGIT}`, mark))
  const bytes = Buffer.from(format.head + lines.join(format.between) + format.tail)
  const [times, digits] = [placesOf(mark, bytes), placesOf(DIGIT, bytes)]
  return {
    bytes,
    stamp(round) {
      const time = Buffer.from(format.time(fromMs + round * 1000))
      for (const place of times) time.copy(bytes, place)
      for (const [i, place] of digits.entries()) bytes[place] = 48 + ((round * 3 + i * 7) % 10)
    },
  }
}

function placesOf(mark: string, bytes: Buffer): number[] {
  const places: number[] = []
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length)) places.push(at)
  return places
}

/**
 * The messages for one of the compared systems. Their times increase across all runs, so that no point gets the same
 * time twice.
 */
export interface Load {
  /** Each sender has its own buffers. A message stays unchanged until its sender calls `next` again. */
  sender(): { next(): Buffer }
}

/** The first observations have the time `fromMs`. */
export function loadOf(format: keyof typeof FORMATS, points: readonly string[], fromMs = AN_HOUR_AGO): Load {
  const groups = Array.from({ length: Math.floor(points.length / MESSAGE_SIZE) }, (_, i) =>
    points.slice(i * MESSAGE_SIZE, (i + 1) * MESSAGE_SIZE),
  )
  let sent = 0
  return {
    sender() {
      const messages = groups.map((group) => messageIn(FORMATS[format], group, fromMs))
      return {
        next() {
          const number = sent++
          const message = messages[number % groups.length]!
          message.stamp(Math.floor(number / groups.length))
          return message.bytes
        },
      }
    },
  }
}

export type Send = (bytes: Buffer) => Promise<unknown>

/** Returns observations a second. Each function of `sends` sends one message after another. */
async function sustained(load: Load, sends: readonly Send[], seconds: number): Promise<number> {
  const from = performance.now()
  const until = from + seconds * 1000
  let count = 0
  await Promise.all(
    sends.map(async (send) => {
      const sender = load.sender()
      while (performance.now() < until) {
        await send(sender.next())
        count += MESSAGE_SIZE
      }
    }),
  )
  return count / ((performance.now() - from) / 1000)
}

export interface HttpTarget {
  url: string
  headers: Record<string, string>
  /** The only status that is accepted. If absent, every status below 300 is. */
  expected?: number
}

export async function posted(load: Load, target: HttpTarget, seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const { hostname, port, pathname, search, host } = new URL(target.url)
  const address = hostname.endsWith('localhost') ? '127.0.0.1' : hostname
  const where = { host: address, port, path: pathname + search, method: 'POST', agent }
  const send: Send = (bytes) =>
    new Promise<void>((resolve, reject) => {
      const headers = { host, 'content-length': bytes.length, ...target.headers }
      const asked = request({ ...where, headers }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        answer.on('end', () => {
          const { statusCode = 0 } = answer
          if (target.expected === undefined ? statusCode < 300 : statusCode === target.expected) resolve()
          else reject(new Error(`${target.url} answered ${answer.statusCode}: ${text.slice(0, 500)}`))
        })
      })
      asked.on('error', reject)
      asked.end(bytes)
    })
  const rate = await sustained(load, Array<Send>(CONNECTIONS).fill(send), seconds)
  agent.destroy()
  return rate
}

export async function published(load: Load, target: MqttTarget, seconds: number): Promise<number> {
  const publishers = await Promise.all(Array.from({ length: CONNECTIONS }, () => connectPublisher(target)))
  const sends = publishers.flatMap(({ publish }) => Array<Send>(WINDOW).fill(publish))
  const rate = await sustained(load, sends, seconds)
  await Promise.all(publishers.map((publisher) => publisher.end()))
  return rate
}
