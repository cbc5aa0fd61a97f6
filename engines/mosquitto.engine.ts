import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { body, newMeters, QOS1 } from '../acceptance/mqtt/meters.ts'
import { actorsOf } from '../acceptance/system/actors.ts'
import { type System, startSystem } from '../acceptance/system/system.ts'
import { createBroker, PASSWORDS } from './mosquitto/broker.ts'
import { runSuite } from './suite.ts'
import { until } from './until.ts'

/**
 * Checks telemetry through Mosquitto with TLS, passwords, topic permissions and persistent sessions, while the broker and
 * the service are restarted in the middle of a stream.
 */

const PAUSE_MS = 5

await runSuite('mosquitto', async (suite) => {
  const broker = await createBroker()
  suite.onEnd(() => broker.remove())
  await broker.start()
  suite.engine('Mosquitto', broker.version)
  const env = {
    MQTT_ENABLED: 'true',
    MQTT_URL: broker.url,
    MQTT_USERNAME: 'storey',
    MQTT_PASSWORD: PASSWORDS.storey,
    NODE_EXTRA_CA_CERTS: broker.authority,
    RATE_LIMIT_PER_MINUTE: '0',
    SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
  }
  let system: System = await startSystem({ env })
  suite.onEnd(() => system.remove())
  const actors = actorsOf(system)
  const key = await actors.operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
  const [meters, others] = [await newMeters(actors, key), await newMeters(actors, key)]
  broker.grant(meters.mqtt.topic)
  const ca = readFileSync(broker.authority)
  const connect = () =>
    meters.connect({ username: 'gateway', password: PASSWORDS.gateway, ca, clean: false, clientId: 'gateway-1' })
  const client = await connect()
  suite.onEnd(() => client.endAsync(true))

  let published = 0
  const acknowledged: string[] = []
  /** Publishes one message after another until the work is done. Only acknowledged ones are counted. */
  async function streamDuring(work: () => Promise<unknown>): Promise<void> {
    let isOver = false
    const finished = work().finally(() => {
      isOver = true
    })
    while (!isOver) {
      const n = published++
      await client.publishAsync(meters.mqtt.topic, body(meters.observation(n)), QOS1)
      acknowledged.push(`${n}`)
      await sleep(PAUSE_MS)
    }
    await finished
  }
  async function untilStored(): Promise<string> {
    const count = acknowledged.length
    const seconds = await until(
      'all acknowledged messages are stored',
      async () => (await meters.stored()).length >= count,
      60_000,
    )
    const stored = await meters.stored()
    assert.deepEqual(stored, acknowledged)
    return `${count} acknowledged and stored, ${seconds.toFixed(1)} s after the last`
  }

  await suite.check('messages over TLS are stored', async () => {
    // The service subscribes to a new sandbox within seconds, and Mosquitto drops what arrives before.
    await sleep(6_000)
    await streamDuring(() => sleep(2_000))
    return untilStored()
  })

  await suite.check(
    'a refused message is reported on the topic of errors, and does not block later messages',
    async () => {
      const errors: string[] = []
      client.on('message', (_, text) => void errors.push(text.toString()))
      await client.subscribeAsync(`${meters.mqtt.topic}/errors`, QOS1)
      await client.publishAsync(meters.mqtt.topic, 'no JSON', QOS1)
      await streamDuring(() => sleep(500))
      await until('the error', () => errors.length > 0)
      assert.equal(errors.length, 1)
      return untilStored()
    },
  )

  await suite.check('a gateway cannot write to other buildings', async () => {
    await client.publishAsync(others.mqtt.topic, body(others.observation(1)), QOS1)
    await sleep(2_000)
    assert.deepEqual(await others.stored(), [])
  })

  await suite.check('the broker is restarted in the middle of a stream', async () => {
    await streamDuring(async () => {
      await sleep(1_000)
      await broker.stop()
      await sleep(3_000)
      await broker.start()
      await sleep(3_000)
    })
    return untilStored()
  })

  await suite.check('the service is stopped: its session keeps the messages until it runs again', async () => {
    await system.stop()
    await streamDuring(() => sleep(4_000))
    system = await startSystem({ env, dataDir: system.dataDir, port: Number(new URL(system.url).port) })
    return untilStored()
  })

  await suite.check('service and broker are both restarted, and messages wait in the saved session', async () => {
    await system.stop()
    await streamDuring(() => sleep(1_000))
    await broker.stop()
    await broker.start()
    await streamDuring(() => sleep(1_000))
    system = await startSystem({ env, dataDir: system.dataDir, port: Number(new URL(system.url).port) })
    return untilStored()
  })

  await suite.check('the service is killed in the middle of a stream', async () => {
    await streamDuring(async () => {
      await sleep(1_000)
      await system.kill9()
      await sleep(1_000)
      system = await startSystem({ env, dataDir: system.dataDir, port: Number(new URL(system.url).port) })
      await sleep(1_000)
    })
    return untilStored()
  })

  for (const [what, other] of [
    ['a wrong password', { MQTT_PASSWORD: 'wrong' }],
    ['a certificate of an unknown authority', { NODE_EXTRA_CA_CERTS: '' }],
  ] as const) {
    await suite.check(`${what}: the service works, and the log names the reason`, async () => {
      const wrong = await startSystem({ env: { ...env, ...other } })
      try {
        const lines = () =>
          wrong
            .output()
            .split('\n')
            .filter((line) => line.includes('MQTT broker'))
        await until('the log line', () => lines().length > 0)
        await sleep(5_000)
        assert.ok(lines().length <= 3, lines().join('\n'))
        return lines()[0]!
      } finally {
        await wrong.remove()
      }
    })
  }
})
process.exit()
