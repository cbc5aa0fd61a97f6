import { connectAsync, type MqttClient } from 'mqtt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testControlPlane } from '../testing/control-plane.ts'
import { inbox, told } from '../testing/mqtt-door.ts'
import { startOutsideBroker } from '../testing/outside-broker.ts'
import { errorsTopic, telemetryTopic } from './topics.ts'

const QOS1 = { qos: 1 } as const
const ACCOUNTS = { storey: 'secret', meter: 'meter' }
type Outside = Awaited<ReturnType<typeof startOutsideBroker>>
type Test = Awaited<ReturnType<typeof testControlPlane>>
type Sandbox = Awaited<ReturnType<typeof sandboxIn>>

async function sandboxIn(test: Test) {
  const key = await test.newKey()
  const { sandboxId, slug, organizationId } = await test.create(key)
  const { siteId, buildingId } = await test.settled(key, sandboxId)
  const named = { organizationId, siteId, buildingId }
  const received = async () => {
    const { text } = await test.call({ host: `${slug}.localhost`, path: '/received' })
    return text.split('\n').filter((name) => name !== '')
  }
  return { key, sandboxId, topic: telemetryTopic(named), errors: errorsTopic(named), received }
}

describe('an outside broker', () => {
  let outside: Outside
  let test: Test
  let meter: MqttClient
  let own: Sandbox
  let other: Sandbox
  beforeAll(async () => {
    outside = await startOutsideBroker(ACCOUNTS)
    const mqtt = { kind: 'outside' as const, url: outside.url, username: 'storey', password: 'secret' }
    test = await testControlPlane({ mqtt, mqttPatienceMs: 1_000 })
    test.plane().mqtt!.start()
    own = await sandboxIn(test)
    other = await sandboxIn(test)
    meter = await connectAsync(outside.url.href, { username: 'meter', password: 'meter' })
    await outside.subscribed
  })
  afterAll(async () => {
    await meter.endAsync(true)
    await test.drop()
    await outside.stop()
  })

  it('[MQT-09] is read, and its messages go to the sandboxes that their topics name, in order', async () => {
    for (const name of ['a1', 'a2', 'a3'])
      meter.publish(own.topic, told({ name, delayMs: name === 'a1' ? 200 : 0 }), QOS1)
    meter.publish(other.topic, told({ name: 'b1' }), { qos: 0 })
    await expect.poll(() => own.received()).toContain('a3')
    expect((await own.received()).slice(-3)).toEqual(['a1', 'a2', 'a3'])
    await expect.poll(() => other.received()).toContain('b1')
  })

  it('[MQT-07, MQT-08] hears of refused messages on the topic for errors, and those behind them are stored', async () => {
    const refusals = inbox(meter)
    await meter.subscribeAsync(own.errors)
    await meter.publishAsync(own.topic, 'no JSON', QOS1)
    await meter.publishAsync(own.topic.replace(/[^/]+\/telemetry$/, 'none/telemetry'), told({ name: 'c1' }), QOS1)
    await meter.publishAsync(own.topic, told({ name: 'c2' }), QOS1)
    await expect.poll(() => own.received()).toContain('c2')
    await expect.poll(() => refusals).toMatchObject([{ code: 'VALIDATION_FAILED' }, { code: 'NOT_FOUND' }])
  })

  it('[MQT-06] sends again what was not acknowledged since it could not be stored', async () => {
    await meter.publishAsync(own.topic, told({ name: 'd1', answer: 503, times: 7 }), QOS1)
    await meter.publishAsync(own.topic, told({ name: 'd2' }), QOS1)
    await expect.poll(() => own.received()).toEqual(expect.arrayContaining(['d1', 'd2']))
    expect(test.plane().mqtt!.counts().unstored).toBeGreaterThan(0)
  })

  it('has no sandbox wait for another', async () => {
    await meter.publishAsync(own.topic, told({ name: 'e1', delayMs: 1_000 }), QOS1)
    await meter.publishAsync(other.topic, told({ name: 'e2' }), QOS1)
    await expect.poll(() => other.received()).toContain('e2')
    expect(await own.received()).not.toContain('e1')
    await expect.poll(() => own.received()).toContain('e1')
  })

  it('[MQT-05] may carry what is for no sandbox, or comes from a device: it is let go', async () => {
    const before = test.plane().mqtt!.counts().ignored
    await meter.publishAsync('svc/org_unknown/a/b/telemetry', told({ name: 'f1' }), QOS1)
    await meter.publishAsync('rec/device/observations', told({ name: 'f2' }), QOS1)
    await expect.poll(() => test.plane().mqtt!.counts().ignored - before).toBe(2)
    await meter.publishAsync(own.topic, told({ name: 'f3' }), QOS1)
    await expect.poll(() => own.received()).toContain('f3')
  })

  it('keeps what comes while the service is down', async () => {
    await test.stop()
    await meter.publishAsync(own.topic, told({ name: 'g1' }), QOS1)
    await test.start()
    test.plane().mqtt!.start()
    await expect.poll(() => own.received()).toContain('g1')
  })

  it('is named by the connection record, without credentials', async () => {
    const { json } = await test.call({ key: own.key, path: `/api/v1/sandboxes/${own.sandboxId}/connection` })
    expect(json.mqtt).toEqual({ url: outside.url.href, username: null, password: null, topic: own.topic })
  })
})

describe('an outside broker without credentials', () => {
  it('[MQT-04] is not read', async () => {
    const outside = await startOutsideBroker(ACCOUNTS)
    for (const login of [{}, { username: 'storey' }, { password: 'secret' }]) {
      const mqtt = { kind: 'outside' as const, url: outside.url, username: undefined, password: undefined, ...login }
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
