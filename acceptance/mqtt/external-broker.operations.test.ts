import { type AddressInfo, connect, createServer } from 'node:net'
import { Aedes } from 'aedes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkBrokers } from '../../packages/host/src/operator/doctor/check-brokers.ts'
import { readSettings } from '../../packages/host/src/settings.ts'
import { actorsAt, installedFolder, startInstalled } from '../system/shared.ts'
import { freePort, startSystem } from '../system/system.ts'
import { body, newMeters, QOS1 } from './meters.ts'

const LOGIN = { MQTT_USERNAME: 'storey', MQTT_PASSWORD: 'secret' }

describe('an operator’s own broker', () => {
  let broker: Aedes
  let url: string
  let dataDir: string
  const server = createServer((socket) => broker.handle(socket))
  beforeAll(async () => {
    dataDir = installedFolder()
    broker = await Aedes.createBroker({
      authenticate: (_client, username, password, done) =>
        done(null, username === LOGIN.MQTT_USERNAME && password?.toString() === LOGIN.MQTT_PASSWORD),
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    await new Promise<void>((resolve) => broker.close(() => resolve()))
    await new Promise((resolve) => server.close(resolve))
  })

  /**
   * Runs a system with these settings. Returns the number of clients at the broker, whether an embedded broker listens,
   * and the output of the system.
   */
  async function watch(env: Record<string, string>) {
    const port = await freePort()
    const system = await startSystem({ dataDir, env: { ...env, MQTT_URL: url, MQTT_PORT: String(port) } })
    // A second is enough, because a client connects at the start or never.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const watched = { clients: broker.connectedClients, listens: await isListening(port), output: system.output() }
    await system.stop()
    return watched
  }

  it('[OPR-09] is checked by the doctor, with its account', async () => {
    const findings = async (password: string) => {
      const env = { MQTT_ENABLED: 'true', MQTT_URL: url, MQTT_USERNAME: 'storey', MQTT_PASSWORD: password }
      const { all } = await checkBrokers(readSettings(env))
      return all.filter(({ text }) => text.includes('MQTT')).map(({ level, text }) => `${level}: ${text}`)
    }
    const { host } = new URL(url)
    expect(await findings('secret')).toEqual([`ok: the MQTT broker ${host} accepts the account`])
    expect(await findings('wrong')).toEqual([`problem: the MQTT broker ${host}: the account is not authorized`])
  })

  it('[MQT-03] is not used without MQTT_ENABLED=true, and no embedded broker listens', async () => {
    expect(await watch(LOGIN)).toMatchObject({ clients: 0, listens: false })
  })

  it('[MQT-04] is not used when its credentials are missing, and the log reports it', async () => {
    const watched = await watch({ MQTT_ENABLED: 'true' })
    expect(watched).toMatchObject({ clients: 0, listens: false })
    expect(watched.output).toContain('MQTT_USERNAME or MQTT_PASSWORD is not set')
  })

  it('[MQT-09, SBX-54] is used instead of the embedded broker when MQTT_URL names it', async () => {
    const filters = new Set<string>()
    broker.on('subscribe', (subscriptions) => {
      for (const { topic } of subscriptions) filters.add(topic)
    })
    const system = await startSystem({ dataDir, env: { MQTT_ENABLED: 'true', MQTT_URL: url, ...LOGIN } })
    const actors = actorsAt(system)
    const key = await actors.operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
    const meters = await newMeters(actors, key)
    const { topic } = meters.mqtt
    expect(meters.mqtt).toEqual({ url, username: null, password: null, topic })
    await expect.poll(() => [...filters]).toContain(`svc/${meters.connection.organizationId}/+/+/telemetry`)
    const client = await meters.connect({ username: 'storey', password: 'secret' })
    await client.publishAsync(topic, 'no JSON', QOS1)
    await client.publishAsync(topic, body(meters.observation(1, '21.5')), QOS1)
    await expect.poll(() => meters.stored(), { interval: 500 }).toEqual(['21.5'])
    await client.endAsync()
    await system.remove()
  })
})

describe('a port that is in use', () => {
  it('[MQT-09] stops the start with an error that names the setting', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const start = startInstalled({ env: { MQTT_ENABLED: 'true', MQTT_PORT: String(port) } })
    await expect(start).rejects.toThrow(/is already in use.*MQTT_PORT/)
    server.close()
  })
})

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
