import { setTimeout as sleep } from 'node:timers/promises'
import { connectAsync, type MqttClient } from 'mqtt'
import { type Answer, call } from '../acceptance/system/call.ts'
import { createObserved, type Observed } from './observed.ts'

const MESSAGE_SIZE = 10
/** How many messages may be unacknowledged at a time. */
const WINDOW = 5
const PAUSE_MS = 50
const ANSWER_LIMIT_MS = 90_000

/**
 * Sends messages with known values, each until it is acknowledged, and records the times of the acknowledgements.
 */
export interface Writer {
  name: string
  observed: Observed
  /** The time of the first acknowledgement at or after `since`. */
  acknowledgedSince(since: number): number | undefined
  /** The number of refusals and connection errors, by text. */
  answers: Map<string, number>
  stop(): Promise<void>
}

interface Connection {
  apiUrl: string
  buildingId: string
  token: string
  mqtt: { url: string; username: string; password: string; topic: string }
}

export async function startWriters(connection: Connection, name: string): Promise<Writer[]> {
  const base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`
  const { json }: Answer = await call(`${base}/points?limit=2`, { token: connection.token })
  const [first, second] = json.data as { id: string }[]
  const observe = ({ id }: { id: string }) => createObserved(base, connection.token, id, MESSAGE_SIZE)
  return [
    startRest(`${name} REST`, `${base}/telemetry/observations`, connection.token, observe(first!)),
    await startMqtt(`${name} MQTT`, connection, observe(second!)),
  ]
}

function createRecord() {
  const acknowledged: [sentAt: number, at: number][] = []
  const answers = new Map<string, number>()
  return {
    answers,
    count: (what: string) => void answers.set(what, (answers.get(what) ?? 0) + 1),
    acknowledged: (sentAt: number) => void acknowledged.push([sentAt, Date.now()]),
    acknowledgedSince: (since: number) => acknowledged.find(([, at]) => at >= since)?.[1],
  }
}

function startRest(name: string, url: string, token: string, observed: Observed): Writer {
  const { answers, count, acknowledged, acknowledgedSince } = createRecord()
  let isOver = false

  async function isAccepted(body: string): Promise<boolean> {
    const limit = sleep(ANSWER_LIMIT_MS, undefined, { ref: false }).then(() => 'no response' as const)
    const answer = await Promise.race([call(url, { token, body }).catch((err: Error) => err.message), limit])
    if (typeof answer === 'string') count(answer)
    else if (answer.status !== 202) {
      count(`${answer.status}${answer.headers['retry-after'] === undefined ? ' without Retry-After' : ''}`)
    }
    return typeof answer !== 'string' && answer.status === 202
  }

  const running = (async () => {
    for (let n = 0; !isOver; n++) {
      const sentAt = Date.now()
      while (!(await isAccepted(observed.body(n)))) await sleep(PAUSE_MS)
      observed.acknowledged(n)
      acknowledged(sentAt)
      await sleep(PAUSE_MS)
    }
  })()
  const stop = () => {
    isOver = true
    return running
  }
  return { name, observed, answers, acknowledgedSince, stop }
}

async function startMqtt(name: string, { mqtt }: Connection, observed: Observed): Promise<Writer> {
  const { answers, count, acknowledged, acknowledgedSince } = createRecord()
  const { url, topic, ...login } = mqtt
  const client: MqttClient = await connectAsync(url.replace('localhost', '127.0.0.1'), {
    ...login,
    reconnectPeriod: 250,
    connectTimeout: 5_000,
    reconnectOnConnackError: true,
  })
  client.on('error', (err) => count(err.message || (err as { code?: string }).code || 'error'))
  client.on('close', () => count('connection closed'))
  client.on('message', (_, text) => count(`refused: ${JSON.parse(text.toString()).code}`))
  await client.subscribeAsync(`${topic}/errors`, { qos: 1 })
  let [isOver, sent] = [false, 0]
  const senders = Array.from({ length: WINDOW }, async () => {
    while (!isOver) {
      const n = sent++
      const sentAt = Date.now()
      await client.publishAsync(topic, observed.body(n), { qos: 1 })
      observed.acknowledged(n)
      acknowledged(sentAt)
      await sleep(PAUSE_MS)
    }
  })
  const stop = async () => {
    isOver = true
    await Promise.all(senders)
    await client.endAsync()
  }
  return { name, observed, answers, acknowledgedSince, stop }
}
