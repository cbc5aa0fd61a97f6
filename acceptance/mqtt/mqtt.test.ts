import type { MqttClient } from 'mqtt'
import { beforeAll, describe, expect, it } from 'vitest'
import { actorsAt } from '../system/shared.ts'
import { body, newMeters, QOS1 } from './meters.ts'
import { type Meters, useMqtt } from './use-mqtt.ts'

const { used, connected } = useMqtt()

function refusalsTo(client: MqttClient) {
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at a message as its reader would
  const refusals: any[] = []
  client.on('message', (_topic, payload) => refusals.push(JSON.parse(payload.toString())))
  return refusals
}

describe('telemetry over MQTT', () => {
  let own: Meters
  let other: Meters
  beforeAll(async () => {
    own = await newMeters(actorsAt(used.system), used.key)
    other = await newMeters(actorsAt(used.system), used.key)
  })

  it('[HST-52] has its address in the start message', () => {
    expect(used.system.output()).toContain(`  MQTT            mqtt://localhost:${used.env.MQTT_PORT}\n`)
  })

  it('[SBX-54, MQT-09] is described by the connection: address, credentials and topic', () => {
    const { organizationId, siteId, buildingId } = own.connection
    expect(own.mqtt).toEqual({
      url: `mqtt://localhost:${used.env.MQTT_PORT}`,
      username: own.record.sandboxId,
      password: expect.stringMatching(/^[0-9a-f]{48}$/),
      topic: `svc/${organizationId}/${siteId}/${buildingId}/telemetry`,
    })
    expect(own.mqtt.password).not.toBe(other.mqtt.password)
  })

  it('[MQT-01, MQT-06] accepts the body of the REST call, and acknowledges it once values can be read', async () => {
    const client = await connected(own)
    await client.publishAsync(own.mqtt.topic, body(own.observation(1, '21.5'), own.observation(2, '22')), QOS1)
    expect(await own.stored()).toEqual(['21.5', '22'])
    await client.publishAsync(own.mqtt.topic, body(own.observation(3, 'open')), QOS1)
    expect(await own.latest()).toMatchObject({ value: 'open' })
    await client.publishAsync(own.mqtt.topic, body(own.observation(2, '23')), QOS1)
    expect(await own.stored()).toEqual(['21.5', '23'])
  })

  it('[MQT-02, MQT-07, MQT-08] refuses what REST refuses, with the same problem, and continues', async () => {
    const before = await own.stored()
    const client = await connected(own)
    const refusals = refusalsTo(client)
    await client.subscribeAsync(`${own.mqtt.topic}/errors`, QOS1)
    const ahead = new Date(Date.now() + 25 * 3_600_000).toISOString()
    const bad = [
      'no JSON',
      '',
      '{"observations":[]}',
      body(own.observation(5, 5)),
      body(own.observation(5), { ...own.observation(6), pointId: other.pointId }),
      body(own.observation(5), { ...own.observation(6), timestamp: ahead }),
    ]
    const answers = []
    for (const text of bad) {
      const { status, json } = await own.rest(text)
      answers.push({ status, code: json.code, detail: json.detail })
      await client.publishAsync(own.mqtt.topic, text, QOS1)
    }
    await expect.poll(() => refusals).toHaveLength(bad.length)
    expect(refusals.map(({ status, code, detail }) => ({ status, code, detail }))).toEqual(answers)
    for (const { status } of answers) expect(status).toBeLessThan(500)
    expect(refusals[0].message).toMatchObject({ topic: own.mqtt.topic, bytes: 7 })
    expect(await own.stored()).toEqual(before)
    await client.publishAsync(own.mqtt.topic, body(own.observation(7)), QOS1)
    expect(await own.stored()).toEqual([...before, '7'])
    expect(used.system.output()).toContain('MQTT message refused')
    expect(refusals).toHaveLength(bad.length)
  })

  it('[MQT-05] ignores messages on a device topic', async () => {
    const before = await own.stored()
    const client = await connected(own)
    await client.publishAsync('rec/device-1/observations', body(own.observation(8)), QOS1)
    expect(await own.stored()).toEqual(before)
  })

  it('[MQT-10] allows only the topics of the sandbox', async () => {
    const client = await connected(own)
    const refusals = refusalsTo(client)
    await client.subscribeAsync(`${own.mqtt.topic}/errors`, QOS1)
    await client.publishAsync(other.mqtt.topic, body(other.observation(1)), QOS1)
    await expect.poll(() => refusals).toMatchObject([{ code: 'PERMISSION_DENIED' }])
    expect(await other.stored()).toEqual([])
    await expect(client.subscribeAsync(`${other.mqtt.topic}/errors`)).rejects.toThrow()
    const { username } = other.mqtt
    const stolen = own.connect({ username, reconnectPeriod: 0 })
    await expect(stolen).rejects.toMatchObject({ code: 4 })
  })
})

describe('messages over MQTT', () => {
  it('wait for a reset to end, and the credentials stay valid', async () => {
    const meters = await newMeters(actorsAt(used.system), used.key)
    const client = await connected(meters)
    await client.publishAsync(meters.mqtt.topic, body(meters.observation(1)), QOS1)
    const { api } = actorsAt(used.system)
    const path = `/api/v1/sandboxes/${meters.record.sandboxId}`
    expect((await api(used.key, `${path}/reset`, { method: 'POST' })).status).toBe(202)
    await client.publishAsync(meters.mqtt.topic, body(meters.observation(2)), QOS1)
    expect(await meters.stored()).toEqual(['2'])
    expect((await api(used.key, `${path}/connection`)).json.mqtt).toEqual(meters.mqtt)
    await deleted(meters)
  })

  it('are not counted in the rate limit', async () => {
    const meters = await newMeters(actorsAt(used.system), used.key)
    const client = await connected(meters)
    const numbers = Array.from({ length: 250 }, (_, i) => i)
    await Promise.all(numbers.map((n) => client.publishAsync(meters.mqtt.topic, body(meters.observation(n)), QOS1)))
    expect(await meters.stored()).toEqual(numbers.map(String))
    await deleted(meters)
    await expect.poll(() => client.connected).toBe(false)
  })
})

function deleted({ record }: Meters) {
  return actorsAt(used.system).api(used.key, `/api/v1/sandboxes/${record.sandboxId}`, { method: 'DELETE' })
}
