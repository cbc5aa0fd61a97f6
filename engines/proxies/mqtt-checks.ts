import { equal, ok, rejects } from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { connectAsync, type MqttClient } from 'mqtt'
import { generate } from 'mqtt-packet'
import { call as callDirectly } from '../../acceptance/system/call.ts'
import type { Suite } from '../suite.ts'
import type { Sandbox, World } from './world.ts'

const FAILURES = 6

/** Connects through the proxy, over TLS. With the option `localAddress`, the client connects from that address. */
export function connectMqtt(world: World, sandbox: Sandbox, options: object = {}): Promise<MqttClient> {
  const { url, username, password } = sandbox.mqtt
  return connectAsync(url.replace('localhost', '127.0.0.1'), {
    username,
    password,
    ca: world.ca,
    servername: 'localhost',
    reconnectPeriod: 0,
    ...options,
  } as object)
}

/** MQTT over TLS with the PROXY protocol. */
export async function checkMqtt(suite: Suite, world: World): Promise<void> {
  const [first, second] = world.sandboxes
  const body = ({ points }: Sandbox, value: string, atMs: number) =>
    JSON.stringify({ observations: [{ pointId: points[2], value, timestamp: new Date(atMs).toISOString() }] })
  const stored = async ({ directUrl, token, points }: Sandbox, atMs: number): Promise<string | undefined> => {
    const range = `from=${new Date(atMs).toISOString()}&to=${new Date(atMs + 1).toISOString()}`
    const { json } = await callDirectly(`${directUrl}/telemetry/observations?pointId=${points[2]}&${range}`, { token })
    return json.data[0]?.value
  }

  await suite.check('MQTT over TLS: the address in the connection record works, and messages are stored', async () => {
    equal(first.mqtt.url, `mqtts://localhost:${world.ports.mqtts}`)
    for (const [i, sandbox] of [first, second].entries()) {
      const client = await connectMqtt(world, sandbox)
      const at = Date.now() - 3_600_000 - i
      await client.publishAsync(sandbox.mqtt.topic, body(sandbox, `${i}`, at), { qos: 1 })
      equal(await stored(sandbox, at), `${i}`)
      await client.endAsync()
    }
  })

  await suite.check('MQTT over TLS: messages before an immediate disconnect are stored', async () => {
    const times = Array.from({ length: 20 }, (_, i) => Date.now() - 7_200_000 - i * 10)
    for (const at of times) {
      const client = await connectMqtt(world, first)
      client.publish(first.mqtt.topic, body(first, '3', at), { qos: 0 })
      await client.endAsync()
    }
    for (const at of times) {
      for (let i = 0; i < 50 && (await stored(first, at)) === undefined; i++) await sleep(100)
      equal(await stored(first, at), '3')
    }
  })

  await suite.check(
    'MQTT over TLS: wrong passwords delay only their sender, whose address is in the PROXY header',
    async () => {
      const failMs = async (localAddress: string) => {
        const from = performance.now()
        await rejects(connectMqtt(world, second, { password: 'wrong', localAddress }))
        return performance.now() - from
      }
      let last = 0
      for (let i = 0; i < FAILURES; i++) last = await failMs('127.0.0.51')
      const other = await failMs('127.0.0.52')
      ok(other < last / 2, `the other address waited ${Math.round(other)} ms, the first one ${Math.round(last)} ms`)
      return `${Math.round(last)} ms after ${FAILURES} failures, ${Math.round(other)} ms from another address`
    },
  )

  await suite.check('MQTT over TLS: a PROXY header of the client itself closes the connection', async () => {
    const { username, password } = first.mqtt
    const connect = generate({
      cmd: 'connect',
      clientId: 'x',
      username,
      password: Buffer.from(password),
      keepalive: 60,
    })
    const answered = await new Promise<boolean>((resolve, reject) => {
      const { ca, ports } = world
      const socket = connectTls({ host: '127.0.0.1', port: ports.mqtts, ca, servername: 'localhost' }, () => {
        socket.write(Buffer.concat([Buffer.from('PROXY TCP4 203.0.113.9 127.0.0.1 4000 1883\r\n'), connect]))
      })
      socket.on('data', () => resolve(true))
      socket.on('close', () => resolve(false))
      socket.on('error', reject)
      socket.setTimeout(20_000, () => reject(new Error('neither closed nor answered')))
    })
    equal(answered, false)
  })
}
