import { Agent, request } from 'node:http'
import { connectAsync, type IClientOptions } from 'mqtt'

/** Observations a second, a thousand to a message on four connections, sent as quickly as they are taken. */
export const A_MESSAGE = 1000
export const CONNECTIONS = 4
/** Messages of one MQTT connection that are sent before the first is acknowledged. */
const WINDOW = 8
const AN_HOUR_AGO = Date.now() - 3_600_000

/** Times and values are written anew each time it is sent, in place: making it costs the client next to nothing. */
export interface Message {
  bytes: Buffer
  stamp(round: number): void
}

interface Form {
  line(point: string, value: string, time: string): string
  head: string
  between: string
  tail: string
  time(atMs: number): string
}

const JSON_FORM: Form = {
  line: (pointId, value, timestamp) => JSON.stringify({ pointId, value, timestamp }),
  head: '{"observations":[',
  between: ',',
  tail: ']}',
  time: (atMs) => new Date(atMs).toISOString(),
}
const LINE_FORM: Form = {
  line: (point, value, time) => `o,point=${point} v=${value} ${time}`,
  head: '',
  between: '\n',
  tail: '\n',
  time: String,
}

const DIGIT = '^'

function messageIn(form: Form, points: readonly string[]): Message {
  const mark = '~'.repeat(form.time(AN_HOUR_AGO).length)
  const lines = points.map((point, i) => form.line(point, `${18 + (i % 8)}.${DIGIT}`, mark))
  const bytes = Buffer.from(form.head + lines.join(form.between) + form.tail)
  const [times, digits] = [placesOf(mark, bytes), placesOf(DIGIT, bytes)]
  return {
    bytes,
    stamp(round) {
      const time = Buffer.from(form.time(AN_HOUR_AGO + round * 1000))
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

/** All that one store is sent, in whichever run: the instants go on, so that none comes to a point twice. */
export interface Load {
  /** A sender's own: the bytes are not written anew before the sender asks for the next. */
  sender(): { next(): Buffer }
}

export function loadOf(form: 'json' | 'lines', points: readonly string[]): Load {
  const groups = Array.from({ length: Math.floor(points.length / A_MESSAGE) }, (_, i) =>
    points.slice(i * A_MESSAGE, (i + 1) * A_MESSAGE),
  )
  let sent = 0
  return {
    sender() {
      const messages = groups.map((group) => messageIn(form === 'json' ? JSON_FORM : LINE_FORM, group))
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

/** Observations a second; each of the ways takes one message after another. */
async function sustained(load: Load, ways: readonly Send[], seconds: number): Promise<number> {
  const from = performance.now()
  const until = from + seconds * 1000
  let count = 0
  await Promise.all(
    ways.map(async (send) => {
      const sender = load.sender()
      while (performance.now() < until) {
        await send(sender.next())
        count += A_MESSAGE
      }
    }),
  )
  return count / ((performance.now() - from) / 1000)
}

export interface HttpTarget {
  url: string
  headers: Record<string, string>
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
        answer.resume()
        answer.on('end', () => {
          if (answer.statusCode! < 300) resolve()
          else reject(new Error(`${target.url} answered ${answer.statusCode}`))
        })
      })
      asked.on('error', reject)
      asked.end(bytes)
    })
  const rate = await sustained(load, Array<Send>(CONNECTIONS).fill(send), seconds)
  agent.destroy()
  return rate
}

export interface MqttTarget {
  url: string
  topic: string
  login?: Pick<IClientOptions, 'username' | 'password'>
}

export async function published(load: Load, { url, topic, login }: MqttTarget, seconds: number): Promise<number> {
  const address = url.replace('localhost', '127.0.0.1')
  const connecting = Array.from({ length: CONNECTIONS }, () => connectAsync(address, { ...login, reconnectPeriod: 0 }))
  const clients = await Promise.all(connecting)
  const ways = clients.flatMap((client) =>
    Array<Send>(WINDOW).fill((bytes) => client.publishAsync(topic, bytes, { qos: 1 })),
  )
  const rate = await sustained(load, ways, seconds)
  await Promise.all(clients.map((client) => client.endAsync()))
  return rate
}
