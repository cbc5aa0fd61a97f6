import { gzipSync, zstdCompressSync } from 'node:zlib'
import { connectAsync, type MqttClient } from 'mqtt'
import { loadOf } from '../bench/loads.ts'
import type { MixedPart, MixedSoak } from './mixed-part.ts'

const BODY_POINTS = 1_000
const ACCEPTED = 202
const NO_CONTENT = 204

/** Integrations that send observations: over REST in every form, plain and compressed, and over MQTT. */
export async function openIngest({ connection, base, points, api, fail }: MixedSoak): Promise<MixedPart> {
  const load = loadOf('json', points)
  const [sender, publisher] = [load.sender(), load.sender()]
  const observations = `${base}/telemetry/observations`
  const lines = `${base}/telemetry/influx/write?precision=ms`
  const some = points.slice(0, BODY_POINTS)
  const value = () => (20 + Math.random() * 5).toFixed(2)
  const asLines = () => some.map((id) => `${id} value=${value()} ${Date.now()}`).join('\n')
  const asJson = () => ({ observations: some.map((pointId) => ({ pointId, value: value() })) })
  const asNdjson = () => some.map((pointId) => JSON.stringify({ pointId, value: value() })).join('\n')

  const compressed = [
    () => send(observations, ACCEPTED, 'application/json', gzipSync(JSON.stringify(asJson())), 'gzip'),
    () => send(observations, ACCEPTED, 'application/x-ndjson', zstdCompressSync(asNdjson()), 'zstd'),
    () => send(lines, NO_CONTENT, 'text/plain', gzipSync(asLines()), 'gzip'),
  ]
  let next = 0
  const send = (url: string, expected: number, type: string, body: string | Buffer, coding?: 'gzip' | 'zstd') =>
    api(url, expected, {
      body,
      headers: { 'content-type': type, ...(coding === undefined ? {} : { 'content-encoding': coding }) },
    })

  const { url, topic, ...login } = connection.mqtt
  let isClosing = false
  const connectClient = async (): Promise<MqttClient> => {
    const client = await connectAsync(url.replace('localhost', '127.0.0.1'), login)
    return client.on('close', () => {
      if (!isClosing) fail('an MQTT connection was closed')
    })
  }
  // The broker acknowledges a refused message, and reports it here. The publisher must not subscribe: a client that only
  // publishes is served by the stack itself.
  const [client, listener] = [await connectClient(), await connectClient()]
  listener.on('message', (_topic, refusal) => fail(`an MQTT message was refused: ${refusal}`))
  const [granted] = await listener.subscribeAsync(`${topic}/errors`)
  if (granted?.qos !== 0) throw new Error(`the subscription to refusals was not granted: ${JSON.stringify(granted)}`)
  return {
    tasks: [
      {
        what: 'JSON bodies',
        everyMs: 200,
        work: () => send(observations, ACCEPTED, 'application/json', sender.next()),
      },
      {
        what: 'bodies of line protocol',
        everyMs: 1_000,
        work: () => send(lines, NO_CONTENT, 'text/plain', asLines()),
      },
      { what: 'compressed bodies', everyMs: 2_000, work: () => compressed[next++ % compressed.length]!() },
      { what: 'MQTT messages', everyMs: 1_000, work: () => client.publishAsync(topic, publisher.next(), { qos: 1 }) },
    ],
    async close() {
      isClosing = true
      await Promise.all([client.endAsync(), listener.endAsync()])
    },
  }
}
