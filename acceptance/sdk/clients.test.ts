import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import {
  apiKey,
  bearer,
  type ChangeKind,
  clientCredentials,
  connectChanges,
  connectLive,
  createPlatformClient,
  createProvisioningClient,
  type PlatformClient,
  type PointUpdated,
  type ProvisioningClient,
  type SandboxConnection,
  type SandboxRecord,
  verifyWebhook,
} from '@storey/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SMALL } from '../system/actors.ts'
import { call } from '../system/call.ts'
import { type Developer, newDeveloper, operator, systemUrl } from '../system/shared.ts'
import { find, named, operationsOf, requestsOf } from './operations.ts'

let developer: Developer
let provisioning: ProvisioningClient
let record: SandboxRecord
let connection: SandboxConnection
let platform: PlatformClient
beforeAll(async () => {
  developer = await newDeveloper('full')
  provisioning = createProvisioningClient({ url: systemUrl, credential: apiKey(developer.key) })
  const { sandboxId } = await provisioning.sandboxes.create({ name: 'SDK', ...SMALL }, { idempotencyKey: 'sdk-1' })
  record = await provisioning.sandboxes.waitWhileProvisioning(sandboxId, { everySeconds: 0.15 })
  connection = await provisioning.sandboxes.connection(sandboxId)
  platform = createPlatformClient({ url: connection.apiUrl, credential: bearer(connection.token) })
})

describe('the SDK at the provisioning service', () => {
  it('creates, lists, extends and deletes sandboxes', async () => {
    const { sandboxes } = provisioning
    expect(record.status).toBe('ready')
    expect(await sandboxes.create({ name: 'SDK', ...SMALL }, { idempotencyKey: 'sdk-1' })).toEqual(record)
    const other = await sandboxes.create({ name: 'Gone', ...SMALL })
    const listed: string[] = []
    for await (const { sandboxId } of sandboxes.listAll()) listed.push(sandboxId)
    expect(listed).toEqual([other.sandboxId, record.sandboxId])
    const extended = await sandboxes.extend(record.sandboxId, 2)
    expect(extended.extensionsRemaining).toBe(record.extensionsRemaining - 1)
    await sandboxes.delete(other.sandboxId)
    await expect(sandboxes.get(other.sandboxId)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  it('names the field that was refused', async () => {
    const refused = await provisioning.sandboxes.create({ name: 'Tall', storeys: 51 }).catch((error) => error)
    expect(refused).toMatchObject({ code: 'VALIDATION_FAILED', problem: { errors: [{ pointer: '/storeys' }] } })
    expect(refused.message).toContain('storeys')
  })

  it('creates, lists, audits and revokes keys, with a session of the portal', async () => {
    const session = await operator('session', developer.email)
    const { keys } = createProvisioningClient({ url: systemUrl, credential: bearer(session) })
    const minted = await keys.mint({ label: 'by the SDK', scope: 'sandbox' })
    expect(minted.plaintext).toMatch(/^svc_/)
    await keys.revoke(minted.keyId)
    const { data } = await provisioning.keys.list()
    expect(data.find(({ keyId }) => keyId === minted.keyId)?.status).toBe('revoked')
    const actions: string[] = []
    for await (const { action } of keys.auditAll({ keyId: minted.keyId, limit: 1 })) actions.push(action)
    expect(actions).toEqual(['key.revoked', 'key.issued'])
    const revoked = createProvisioningClient({ url: systemUrl, credential: apiKey(minted.plaintext) })
    await expect(revoked.sandboxes.list()).rejects.toMatchObject({ status: 401, code: 'KEY_REVOKED' })
  })
})

describe('the SDK at a sandbox', () => {
  it('[SDK-01] calls it as a service account, and gets a new token when one is refused', async () => {
    const account = await provisioning.serviceAccounts.create(record.sandboxId, { name: 'sdk', roles: ['manager'] })
    const granted = clientCredentials({ issuer: `${systemUrl}/realms/sandboxes`, ...account })
    const first = createPlatformClient({ url: connection.apiUrl, credential: granted })
    expect((await first.buildings.list()).data.map(({ id }) => id)).toEqual([connection.buildingId])

    let renewals = 0
    const stale = {
      token: async () => (renewals === 0 ? `${await granted.token()}x` : await granted.token()),
      renew: () => {
        renewals += 1
        return granted.renew!()
      },
    }
    const second = createPlatformClient({ url: connection.apiUrl, credential: stale })
    await Promise.all([second.buildings.list(), second.building(connection.buildingId).get()])
    expect(renewals).toBe(1)
    await provisioning.serviceAccounts.delete(record.sandboxId, account.id)
  })

  it('[SDK-04, SDK-07] reaches the sandbox below localhost, and finds rooms by external id', async () => {
    expect(new URL(connection.apiUrl).hostname).toMatch(/\.localhost$/)
    const building = platform.building(connection.buildingId)
    const map = await building.externalIdMap()
    const { spaces } = await building.graph()
    expect(map.size).toBeGreaterThan(0)
    expect(Object.fromEntries(map)).toEqual(Object.fromEntries(spaces.map(({ id, externalId }) => [externalId, id])))
    const layer = await building.layers.create({ key: 'comfort', name: 'Comfort', valueType: 'NUMBER' })
    const values = Object.fromEntries([...map.keys()].map((externalId, n) => [externalId, n]))
    expect(await building.layers.upload(layer.id, { values })).toMatchObject({ written: map.size, unmatched: [] })
    const read: string[] = []
    for await (const { entityId } of building.layers.valuesAll(layer.id)) read.push(entityId)
    expect(read.sort()).toEqual([...map.values()].sort())
  })

  it('[SDK-13, OBS-22, HIS-26] sends observations in every form, and reads the series of many points', async () => {
    const { telemetry, points } = platform.building(connection.buildingId)
    const [first] = (await points.list({ limit: 1 })).data
    const { id: pointId, sourceSystem, externalId } = first!
    const at = Date.now() - 60_000
    const observation = (value: string, offset: number) => ({
      ...{ pointId, value, timestamp: new Date(at + offset).toISOString() },
    })
    expect(await telemetry.ingest([observation('1', 1)], { compress: true })).toEqual({ accepted: 1 })
    const lines = [observation('2', 2), observation('3', 3)].map((one) => JSON.stringify(one)).join('\n')
    expect(await telemetry.ingestNdjson(lines, { compress: 'zstd' })).toEqual({ accepted: 2 })
    const name = `${sourceSystem}:${externalId}`.replace(/[,= ]/g, '\\$&')
    const options = { precision: 'ms', compress: 'gzip' } as const
    expect(await telemetry.ingestLineProtocol(`${name} value=4 ${at + 4}`, options)).toBeUndefined()
    await expect(telemetry.ingestLineProtocol('cpu value=1')).rejects.toMatchObject({ code: 'UNKNOWN_POINTS' })
    const { data } = await telemetry.history({ pointId, from: new Date(at).toISOString() })
    expect(data.map(({ value }) => value).filter((value) => /^[1-4]$/.test(value))).toEqual(['1', '2', '3', '4'])
    const asked = { from: new Date(at).toISOString(), to: new Date(at + 1000).toISOString(), interval: '1s' }
    const table = await telemetry.query({ pointIds: [pointId], ...asked, aggregation: 'max' })
    expect(table.series[0]!.values).toContain(4)
    // Clients of InfluxDB 2 send line protocol to this address.
    const answer = await fetch(
      `${systemUrl}/s/${record.slug}/api/v1/buildings/${connection.buildingId}/telemetry/influx/api/v2/write?bucket=b&org=o`,
      { method: 'POST', headers: { authorization: `Token ${connection.token}` }, body: `${pointId} value=5i` },
    )
    expect(answer.status).toBe(204)
  })

  it('sends CSV and IFC files unchanged', async () => {
    const { imports } = platform.building(connection.buildingId)
    const refused = await imports.elementsCsv('nonsense', { sourceSystem: 'sdk', dryRun: true }).catch((error) => error)
    expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
    const { importId } = await imports.ifc(new Blob(['not a model']).stream() as ReadableStream<Uint8Array>)
    expect(await imports.untilDone(importId, { everySeconds: 0.1 })).toMatchObject({ status: 'failed', sizeBytes: 11 })
  })
})

describe('the clients, compared with the OpenAPI documents of the running system', () => {
  it('[VER-01] paths start with /api/v1, except those of the service desk', async () => {
    const pathsOf = async (url: string) => Object.keys((await call(`${url}/api/v1/openapi.json`)).json.paths)
    const paths = [...(await pathsOf(systemUrl)), ...(await pathsOf(connection.apiUrl))]
    const others = paths.filter((path) => !path.startsWith('/api/v1/'))
    expect(others.length).toBeGreaterThan(0)
    expect(others.filter((path) => !path.startsWith('/api/service-desk/'))).toEqual([])
    expect(paths.filter((path) => /^\/api\/v1\/.*service-desk/.test(path))).toEqual([])
  })

  const anywhere = { url: 'http://any.example', credential: bearer('any') }
  it.each([
    ['provisioning', () => systemUrl, (fetch: never) => createProvisioningClient({ ...anywhere, fetch })],
    ['platform', () => connection.apiUrl, (fetch: never) => createPlatformClient({ ...anywhere, fetch })],
  ])(
    '%s: every operation except /influx/write has a method, and methods call only paths of the document',
    async (_name, url, create) => {
      const operations = operationsOf((await call(`${url()}/api/v1/openapi.json`)).json)
      const sent = await requestsOf(create)
      expect(sent.filter((each) => find(operations, each) === undefined).map(named)).toEqual([])
      const reached = new Set(sent.map((each) => find(operations, each)))
      const missing = operations.filter((each) => !reached.has(each) && !each.path.endsWith('/influx/write'))
      // No method of the SDK calls /influx/write, which is an address for clients of InfluxDB 1.
      expect(missing.map(named)).toEqual([])
      expect(operations.length).toBeGreaterThan(10)
    },
  )
})

const POINT_UPDATED = 'building.point.updated'

describe('events of a sandbox, received with the SDK', () => {
  const received: { headers: IncomingHttpHeaders; body: Buffer }[] = []
  let receiver: Server
  beforeAll(async () => {
    receiver = createServer(async (request, response) => {
      received.push({ headers: request.headers, body: await buffer(request) })
      response.end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => {
    receiver.closeAllConnections()
    receiver.close()
  })

  it('[LIV-17] arrive on the live channel of a building, with notices of changed data', async () => {
    const { apiUrl, token, buildingId } = connection
    const { points, telemetry } = platform.building(buildingId)
    const [point] = (await points.list({ limit: 1 })).data
    const options = { url: apiUrl, credential: bearer(token), buildingId }
    const live = connectLive(options)
    const received: PointUpdated[] = []
    live.on(POINT_UPDATED, (event) => received.push(event))
    const feed = connectChanges(options)
    const changed: ChangeKind[] = []
    await Promise.all([live.ready, feed.ready])
    feed.onChanged((kinds) => changed.push(...kinds))
    await telemetry.ingest([{ pointId: point!.id, value: '19.5', timestamp: '2026-03-02T10:00:00.000Z' }])
    await expect
      .poll(() => received)
      .toMatchObject([{ buildingId, observations: [{ pointId: point!.id, value: '19.5' }] }])
    await platform.requests.create({ buildingId, title: 'The door squeaks' })
    await expect.poll(() => changed).toEqual(['requests'])
    live.close()
    feed.close()
    const unauthenticated = connectLive({ url: apiUrl, credential: bearer('nobody'), buildingId })
    await expect(unauthenticated.ready).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  })

  it('[SDK-05, SDK-06] are verified in a real delivery, even during a rotation of the secret', async () => {
    const { webhooks, building } = platform
    const { points, telemetry } = building(connection.buildingId)
    const [point] = (await points.list({ limit: 1 })).data
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    const created = await webhooks.create({ url, events: [POINT_UPDATED] })
    const next = async () => {
      await telemetry.ingest([{ pointId: point!.id, value: '20', timestamp: new Date().toISOString() }])
      await expect.poll(() => received.length).toBeGreaterThan(0)
      return received.shift()!
    }
    const first = await next()
    const { secret } = created
    expect(await verifyWebhook({ ...first, secret })).toMatchObject({
      event: POINT_UPDATED,
      data: { buildingId: connection.buildingId, observations: [{ pointId: point!.id, value: '20' }] },
      attempt: 1,
      idempotencyKey: first.headers['x-svc-idempotency-key'],
    })
    const own = Object.fromEntries(Object.entries(first.headers).filter(([name]) => !name.startsWith('webhook-')))
    expect(await verifyWebhook({ ...first, headers: own, secret })).toMatchObject({ event: POINT_UPDATED })
    const changed = first.body.toString().replace('"20"', '"99"')
    for (const headers of [first.headers, own]) {
      await expect(verifyWebhook({ body: changed, headers, secret })).rejects.toMatchObject({
        reason: 'wrong_signature',
      })
    }
    const rotated = await webhooks.rotateSecret(created.id)
    const second = await next()
    for (const each of [secret, rotated.secret]) await verifyWebhook({ ...second, secret: each })
    await webhooks.delete(created.id)
  })
})
