import { setTimeout as sleep } from 'node:timers/promises'
import type { MqttClient } from 'mqtt'
import { createObserved, type Observed } from '../../chaos/observed.ts'
import type { Client, Reply } from './clients.ts'
import { connectMqtt } from './mqtt-checks.ts'
import type { Sandbox, World } from './world.ts'

const MESSAGE_SIZE = 5
const READERS = 3
const PAUSE_MS = 5

export interface LoadResult {
  answers: number
  /** Requests whose connection ended without a response, by error. The client sent them again. */
  retried: Map<string, number>
  /** Answers with another status or content than they should have. */
  wrong: Map<string, number>
  acknowledged: number
  lost: number
  changed: number
}

const count = (counts: Map<string, number>, what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)
export const listed = (counts: Map<string, number>) => [...counts].map(([what, n]) => `${n} × ${what}`).join(', ')

/**
 * Runs readers and writers over HTTP/1.1, HTTP/2 and MQTT, on persistent connections, while `during` runs. A reader uses
 * its connection for several hosts.
 */
export async function underLoad(world: World, during: () => Promise<void>): Promise<LoadResult> {
  const { sandboxes, publicHost, developer } = world
  const result = { answers: 0, retried: new Map<string, number>(), wrong: new Map<string, number>() }
  let isOver = false

  async function ask(client: Client, send: (client: Client) => Promise<Reply>, isRight: (reply: Reply) => boolean) {
    for (; ; await sleep(PAUSE_MS * 10)) {
      const reply = await send(client).catch((err) => `${err.code ?? err.message}`)
      if (typeof reply === 'string') {
        count(result.retried, reply)
        continue
      }
      result.answers++
      if (isRight(reply)) return
      count(result.wrong, `${reply.status} ${reply.body.toString().slice(0, 120)}`)
      if (isOver) return
    }
  }
  async function read(client: Client): Promise<void> {
    for (let n = 0; !isOver; n++) {
      const { host, token, buildingId } = sandboxes[n % 2]!
      const isOfBuilding = ({ status, json }: Reply) => status === 200 && json.data[0].id === buildingId
      await ask(client, () => client.send(host, '/api/v1/buildings', { token }), isOfBuilding)
      if (n % 5 === 0) {
        const list = () => client.send(publicHost, '/api/v1/sandboxes', { token: developer.key })
        await ask(client, list, ({ status, json }) => status === 200 && json.data.length === 2)
      }
      await sleep(PAUSE_MS)
    }
    client.close()
  }
  async function write(client: Client, { host, path, token }: Sandbox, observed: Observed): Promise<void> {
    for (let n = 0; !isOver; n++) {
      const body = observed.body(n)
      const send = () => client.send(host, `${path}/telemetry/observations`, { token, body })
      await ask(client, send, ({ status }) => status === 202)
      observed.acknowledged(n)
      await sleep(PAUSE_MS)
    }
    client.close()
  }
  async function publish(client: MqttClient, { mqtt }: Sandbox, observed: Observed): Promise<void> {
    for (let n = 0; !isOver; n++) {
      await client.publishAsync(mqtt.topic, observed.body(n), { qos: 1 })
      observed.acknowledged(n)
      await sleep(PAUSE_MS)
    }
    await client.endAsync()
  }

  const observe = ({ directUrl, token, points }: Sandbox, n: number) =>
    createObserved(directUrl, token, points[n]!, MESSAGE_SIZE)
  const observed = [observe(sandboxes[0], 0), observe(sandboxes[1], 0), observe(sandboxes[0], 3)]
  const working = [
    ...Array.from({ length: READERS }, () => [read(world.http1()), read(world.http2())]).flat(),
    write(world.http1(), sandboxes[0], observed[0]!),
    write(world.http2(), sandboxes[1], observed[1]!),
  ]
  if (world.proxy.hasMqtt) {
    const client = await connectMqtt(world, sandboxes[0], { reconnectPeriod: 250 })
    client.on('error', () => undefined)
    client.on('close', () => isOver || count(result.retried, 'MQTT connection closed'))
    working.push(publish(client, sandboxes[0], observed[2]!))
  }
  await sleep(500)
  await during()
  await sleep(1_000)
  isOver = true
  await Promise.all(working)
  const compared = await Promise.all(observed.map((each) => each.compare()))
  const total = (key: 'acknowledged' | 'lost' | 'changed') => compared.reduce((sum, each) => sum + each[key], 0)
  return { ...result, acknowledged: total('acknowledged'), lost: total('lost'), changed: total('changed') }
}
