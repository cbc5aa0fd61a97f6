import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectAsync, type MqttClient } from 'mqtt'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testControlPlane } from '../testing/control-plane.ts'
import { startExternalBroker } from '../testing/external-broker.ts'
import { arrivalsOf, inbox, script } from '../testing/mqtt-broker.ts'
import { errorsTopic, telemetryOf, telemetryTopic } from './topics.ts'

const QOS1 = { qos: 1 } as const
const ACCOUNTS = { storey: 'secret', meter: 'meter' }
type Outside = Awaited<ReturnType<typeof startExternalBroker>>
type Test = Awaited<ReturnType<typeof testControlPlane>>
type Sandbox = Awaited<ReturnType<typeof sandboxIn>>

async function sandboxIn(test: Test, outside?: Outside) {
  const key = await test.newKey()
  const { sandboxId, slug, organizationId } = await test.create(key)
  const { siteId, buildingId } = await test.waitWhileProvisioning(key, sandboxId)
  const named = { organizationId, siteId, buildingId }
  const received = async () => {
    const { text } = await test.call({ host: `${slug}.localhost`, path: '/received' })
    return text.split('\n').filter((name) => name !== '')
  }
  while (outside && !outside.isSubscribed(telemetryOf(organizationId))) await sleep(20)
  return { key, sandboxId, topic: telemetryTopic(named), errors: errorsTopic(named), received }
}

describe('an external broker', () => {
  let outside: Outside
  let test: Test
  let meter: MqttClient
  let own: Sandbox
  let other: Sandbox
  beforeAll(async () => {
    outside = await startExternalBroker(ACCOUNTS)
    const mqtt = { kind: 'external' as const, url: outside.url, username: 'storey', password: 'secret' }
    test = await testControlPlane({ mqtt, mqttRetryLimitMs: 1_000 })
    test.plane().mqtt!.start()
    own = await sandboxIn(test, outside)
    other = await sandboxIn(test, outside)
    meter = await connectAsync(outside.url.href, { username: 'meter', password: 'meter' })
  })
  afterAll(async () => {
    await meter.endAsync(true)
    await test.drop()
    await outside.stop()
  })

  it('[MQT-09] is read, and its messages go to the sandboxes of their topics, in order', async () => {
    for (const name of ['a1', 'a2', 'a3'])
      meter.publish(own.topic, script({ name, delayMs: name === 'a1' ? 200 : 0 }), QOS1)
    meter.publish(other.topic, script({ name: 'b1' }), { qos: 0 })
    await expect.poll(() => own.received()).toContain('a3')
    expect((await own.received()).slice(-3)).toEqual(['a1', 'a2', 'a3'])
    await expect.poll(() => other.received()).toContain('b1')
  })

  it('[MQT-07, MQT-08] gets errors of refused messages on the errors topic, and later messages are stored', async () => {
    const refusals = inbox(meter)
    await meter.subscribeAsync(own.errors)
    await meter.publishAsync(own.topic, 'no JSON', QOS1)
    await meter.publishAsync(own.topic.replace(/[^/]+\/telemetry$/, 'none/telemetry'), script({ name: 'c1' }), QOS1)
    await meter.publishAsync(own.topic, script({ name: 'c2' }), QOS1)
    await expect.poll(() => own.received()).toContain('c2')
    await expect.poll(() => refusals).toMatchObject([{ code: 'VALIDATION_FAILED' }, { code: 'NOT_FOUND' }])
  })

  it('[MQT-06, MQT-22] has its messages retried until they are stored, with the same time of arrival', async () => {
    await meter.publishAsync(own.topic, script({ name: 'd1', answer: 503, times: 7 }), QOS1)
    await meter.publishAsync(own.topic, script({ name: 'd2' }), QOS1)
    await expect.poll(() => own.received()).toEqual(expect.arrayContaining(['d1', 'd2']))
    expect(test.plane().mqtt!.counts().unstored).toBeGreaterThan(0)
    const times = arrivalsOf(join(test.folder, own.sandboxId), 'd1')
    expect(times).toHaveLength(8)
    expect(new Set(times).size).toBe(1)
  })

  it('is counted as a connected session while it is reachable, and otherwise as a disconnected one', async () => {
    const elsewhere = await startExternalBroker(ACCOUNTS)
    const mqtt = { kind: 'external' as const, url: elsewhere.url, username: 'storey', password: 'secret' }
    const alone = await testControlPlane({ mqtt })
    const sessions = () => alone.plane().mqtt!.counts().sessions
    expect(sessions()).toEqual({ connected: 0, disconnected: 1 })
    alone.plane().mqtt!.start()
    await expect.poll(sessions).toEqual({ connected: 1, disconnected: 0 })
    await elsewhere.stop()
    await expect.poll(sessions).toEqual({ connected: 0, disconnected: 1 })
    await alone.drop()
  })

  it('is reported in the log when it becomes unreachable, and when it is connected again', async () => {
    const lines: string[] = []
    const log = pino({}, { write: (line: string) => lines.push((JSON.parse(line) as { msg: string }).msg) })
    const elsewhere = await startExternalBroker(ACCOUNTS)
    const mqtt = { kind: 'external' as const, url: elsewhere.url, username: 'storey', password: 'secret' }
    const alone = await testControlPlane({ mqtt }, log)
    const outages = () => lines.filter((line) => /broker (unreachable|connected)/.test(line))
    alone.plane().mqtt!.start()
    await expect.poll(() => alone.plane().mqtt!.counts().sessions?.connected).toBe(1)
    await elsewhere.stop()
    await expect.poll(outages).toEqual(['external MQTT broker unreachable'])
    const again = await startExternalBroker(ACCOUNTS, {}, Number(elsewhere.url.port))
    await expect.poll(outages).toEqual(['external MQTT broker unreachable', 'external MQTT broker connected again'])
    await alone.drop()
    await again.stop()
  })

  it('delivers the messages of a sandbox while another sandbox is slow', async () => {
    // The names are new, because a second attempt of this test also finds the messages of the first attempt.
    const [slow, quick] = [randomUUID(), randomUUID()]
    await meter.publishAsync(own.topic, script({ name: slow, delayMs: 5_000 }), QOS1)
    await meter.publishAsync(other.topic, script({ name: quick }), QOS1)
    await expect.poll(() => other.received()).toContain(quick)
    expect(await own.received()).not.toContain(slow)
    await expect.poll(() => own.received()).toContain(slow)
  })

  it('[MQT-05] can carry messages for no sandbox and messages of devices, and later messages are stored', async () => {
    const before = test.plane().mqtt!.counts().ignored
    await meter.publishAsync('svc/org_unknown/a/b/telemetry', script({ name: 'f1' }), QOS1)
    await meter.publishAsync('rec/device/observations', script({ name: 'f2' }), QOS1)
    await expect.poll(() => test.plane().mqtt!.counts().ignored - before).toBe(1)
    await meter.publishAsync(own.topic, script({ name: 'f3' }), QOS1)
    await expect.poll(() => own.received()).toContain('f3')
  })

  it('keeps messages while the service is down', async () => {
    await test.stop()
    await meter.publishAsync(own.topic, script({ name: 'g1' }), QOS1)
    await test.start()
    test.plane().mqtt!.start()
    await expect.poll(() => own.received()).toContain('g1')
  })

  it('[MQT-16] carries no message that blocks another sandbox or closes a shared connection', async () => {
    const stuck = await sandboxIn(test, outside)
    const sessions = outside.sessions()
    const before = test.plane().mqtt!.counts()
    // These are more messages than a broker sends without an acknowledgement, and more than the service keeps in
    // memory.
    for (let i = 0; i < 300; i++) meter.publish(stuck.topic, script({ name: `stuck${i}`, answer: 503 }), QOS1)
    meter.publish(stuck.topic, Buffer.alloc(30 * 1024 * 1024), QOS1)
    for (let i = 0; i < 20; i++) await meter.publishAsync(other.topic, script({ name: `i${i}` }), QOS1)
    await expect.poll(() => other.received()).toContain('i19')
    await expect.poll(() => test.plane().mqtt!.counts().unstored).toBeGreaterThan(before.unstored)
    meter.publish(own.topic, Buffer.alloc(40 * 1024 * 1024), QOS1)
    meter.publish(`${own.topic.replace('/telemetry', '\ufffd/telemetry')}`, 'x', QOS1)
    meter.publish(own.topic, script({ name: 'kept' }), { qos: 1, retain: true })
    meter.publish(own.topic, script({ name: 'long', answer: 400, pointIds: 100_000 }), QOS1)
    await meter.publishAsync(own.topic, script({ name: 'after' }), QOS1)
    await expect.poll(() => own.received()).toContain('after')
    expect(test.plane().mqtt!.counts().refused - before.refused).toBe(3)
    expect(outside.sessions()).toEqual(sessions)
    await test.call({ key: stuck.key, path: `/api/v1/sandboxes/${stuck.sandboxId}`, method: 'DELETE' })
    await expect.poll(() => outside.sessions().length).toBe(sessions.length - 1)
  })

  it('is in the connection record, without credentials', async () => {
    const { json } = await test.call({ key: own.key, path: `/api/v1/sandboxes/${own.sandboxId}/connection` })
    expect(json.mqtt).toEqual({ url: outside.url.href, username: null, password: null, topic: own.topic })
  })
})

describe('an external broker that disconnects clients that publish an error', () => {
  it('[MQT-16] still gets one acknowledgement for each refused message', async () => {
    const outside = await startExternalBroker(ACCOUNTS, { mayPublish: (topic) => !topic.endsWith('/errors') })
    const mqtt = { kind: 'external' as const, url: outside.url, username: 'storey', password: 'secret' }
    const test = await testControlPlane({ mqtt })
    test.plane().mqtt!.start()
    const own = await sandboxIn(test, outside)
    const meter = await connectAsync(outside.url.href, { username: 'meter', password: 'meter' })
    for (let i = 0; i < 5; i++) await meter.publishAsync(own.topic, 'no JSON', QOS1)
    await meter.publishAsync(own.topic, script({ name: 'a' }), QOS1)
    await expect.poll(() => own.received()).toContain('a')
    expect(test.plane().mqtt!.counts().refused).toBe(5)
    await meter.endAsync(true)
    await test.drop()
    await outside.stop()
  })
})

describe('an external broker without credentials', () => {
  it('[MQT-04] is not read', async () => {
    const outside = await startExternalBroker(ACCOUNTS)
    for (const login of [{}, { username: 'storey' }, { password: 'secret' }]) {
      const mqtt = { kind: 'external' as const, url: outside.url, username: undefined, password: undefined, ...login }
      const test = await testControlPlane({ mqtt })
      test.plane().mqtt!.start()
      const { key, sandboxId } = await sandboxIn(test)
      const { json } = await test.call({ key, path: `/api/v1/sandboxes/${sandboxId}/connection` })
      expect(json.mqtt).toBeNull()
      expect(outside.clients()).toBe(0)
      await test.drop()
    }
    await outside.stop()
  })
})
