import { setTimeout as sleep } from 'node:timers/promises'
import { connectAsync } from 'mqtt'
import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SMALL } from '../system/actors.ts'
import { type Answer, type CallOptions, call } from '../system/call.ts'
import { actorsAt } from '../system/shared.ts'
import { type Planes, startPlanes } from './start-planes.ts'

describe('a service of two control planes behind a load balancer', () => {
  let planes: Planes
  let key: string
  beforeAll(async () => {
    planes = await startPlanes(2, { MQTT_ENABLED: 'true', SHUTDOWN_DELAY_SECONDS: '1' })
    key = (await actorsAt(planes.all).newDeveloper()).key
  })
  afterAll(() => planes.close())

  /** A request for the public address, sent to one of the control planes. */
  function at(index: number, url: string, options: CallOptions = {}): Promise<Answer> {
    const target = new URL(url)
    const { host } = target
    target.port = new URL(planes.planes[index]!.url).port
    return call(target.href, { ...options, headers: { host, ...options.headers } })
  }
  const api = (index: number, path: string, options: CallOptions = {}) =>
    at(index, planes.all.url + path, { token: key, ...options })
  const newSandbox = () => actorsAt(planes.all).newSandbox(key)

  it('[PLN-03] serves a sandbox at both control planes, and at neither after it was deleted at one of them', async () => {
    const { record, connection } = await newSandbox()
    for (const index of [0, 1]) {
      const { status, json } = await at(index, `${connection.apiUrl}/api/v1/buildings`, { token: connection.token })
      expect([status, json.total]).toEqual([200, 1])
    }
    expect((await api(1, `/api/v1/sandboxes/${record.sandboxId}`, { method: 'DELETE' })).status).toBe(204)
    for (const index of [0, 1]) {
      expect((await at(index, `${connection.apiUrl}/api/v1/buildings`, { token: connection.token })).status).toBe(404)
      expect((await api(index, `/api/v1/sandboxes/${record.sandboxId}`)).status).toBe(404)
    }
  })

  it('[PLN-04] refuses the token of a removed account immediately, whichever control plane removed it', async () => {
    const { record, connection } = await newSandbox()
    const path = `/api/v1/sandboxes/${record.sandboxId}/service-accounts`
    for (const index of [0, 1]) {
      const { json } = await api(index, path, { body: { name: `meter ${index}`, roles: ['user'] } })
      const issuer = new URL(`${planes.all.url}/realms/sandboxes`)
      const config = await oauth.discovery(issuer, json.clientId, json.clientSecret, undefined, {
        execute: [oauth.allowInsecureRequests],
      })
      const { access_token: token } = await oauth.clientCredentialsGrant(config)
      for (const other of [0, 1])
        expect((await at(other, `${connection.apiUrl}/api/v1/buildings`, { token })).status).toBe(200)
      expect((await api(index, `${path}/${json.id}`, { method: 'DELETE' })).status).toBe(204)
      for (const other of [0, 1])
        expect((await at(other, `${connection.apiUrl}/api/v1/buildings`, { token })).status).toBe(401)
    }
  })

  it('[PLN-07] ends the earlier connection of an MQTT client that connects to the other control plane', async () => {
    const { connection } = await newSandbox()
    const { username, password } = connection.mqtt
    const connect = (port: number) =>
      connectAsync(`mqtt://127.0.0.1:${port}`, {
        ...{ username, password, clientId: 'meter', protocolVersion: 4, reconnectPeriod: 0 },
      })
    const first = await connect(planes.mqttPorts[0]!)
    const closed = new Promise<void>((resolve) => first.once('close', () => resolve()))
    const second = await connect(planes.mqttPorts[1]!)
    await closed
    expect(second.connected).toBe(true)
    await second.endAsync(true)
  })

  const expireNow = async (sandboxId: string) => {
    await planes.control.query(`update sandboxes set expires_at = now() where id = $1`, [sandboxId])
  }

  it('[PLN-06] continues creation, expiry and wake-ups when the leader is killed', async () => {
    const [expiring, asleep] = await Promise.all([newSandbox(), newSandbox()])
    const leader = await planes.leader()
    const other = 1 - leader
    expect(leader).toBeGreaterThanOrEqual(0)
    const creating = await api(leader, '/api/v1/sandboxes', {
      body: { name: 'Killed', ...SMALL, storeys: 2, seedTelemetryDays: 1 },
    })
    expect(creating.status).toBe(202)
    await planes.planes[leader]!.kill9()
    await expireNow(expiring.record.sandboxId)
    const { apiUrl, token } = asleep.connection
    expect((await at(other, `${apiUrl}/api/v1/buildings`, { token })).status).toBe(200)
    await expect.poll(() => planes.leader()).toBe(other)
    const created = async () => (await api(other, `/api/v1/sandboxes/${creating.json.sandboxId}`)).json.status
    await expect.poll(created, { timeout: 60_000 }).toBe('ready')
    const expired = async () => (await api(other, `/api/v1/sandboxes/${expiring.record.sandboxId}`)).status
    await expect.poll(expired, { timeout: 60_000 }).toBe(404)
    await planes.startAgain(leader)
    expect((await at(leader, `${apiUrl}/api/v1/buildings`, { token })).status).toBe(200)
  })

  it('[PLN-06] replaces a frozen leader, which does not lead again when it continues', async () => {
    const { record, connection } = await newSandbox()
    const leader = await planes.leader()
    const other = 1 - leader
    const { pid } = planes.planes[leader]!
    process.kill(pid, 'SIGSTOP')
    try {
      await expect.poll(() => planes.leader()).toBe(other)
      const { apiUrl, token } = connection
      expect((await at(other, `${apiUrl}/api/v1/buildings`, { token })).status).toBe(200)
      await expireNow(record.sandboxId)
      const status = async () => (await api(other, `/api/v1/sandboxes/${record.sandboxId}`)).status
      await expect.poll(status, { timeout: 60_000 }).toBe(404)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await sleep(3_000)
    expect(await planes.leader()).toBe(other)
    for (const index of [0, 1]) expect((await api(index, `/api/v1/sandboxes/${record.sandboxId}`)).status).toBe(404)
    const { connection: next } = await newSandbox()
    for (const index of [0, 1])
      expect((await at(index, `${next.apiUrl}/api/v1/buildings`, { token: next.token })).status).toBe(200)
  })
})
