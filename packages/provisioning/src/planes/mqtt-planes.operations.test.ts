import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, readMigrations, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { connectAsync, type MqttClient } from 'mqtt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONTROL_MIGRATIONS } from '../migrations.ts'
import { type TestPlane, testControlPlanes } from '../testing/control-planes.ts'
import { createReaderAssignment } from './reader-assignment.ts'

const closeOf = (client: MqttClient) => new Promise<void>((resolve) => client.once('close', () => resolve()))

describe('the embedded MQTT broker of two control planes', () => {
  let test: Awaited<ReturnType<typeof testControlPlanes>>
  const planes: { plane: TestPlane; port: number }[] = []
  beforeAll(async () => {
    test = await testControlPlanes({ mqtt: { kind: 'embedded', port: 1883 } })
    for (let i = 0; i < 2; i++) {
      const plane = await test.start()
      const server = plane.plane.mqtt!.server!
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      plane.plane.mqtt!.start()
      planes.push({ plane, port: (server.address() as AddressInfo).port })
    }
  })
  afterAll(() => test.drop())

  it('[PLN-07] closes the connection of a client when a client with the same id connects to the other control plane', async () => {
    const [one, two] = planes as [(typeof planes)[0], (typeof planes)[0]]
    const key = await test.newKey(one.plane.plane)
    const { json } = await one.plane.call({ key, path: '/api/v1/sandboxes', body: { name: 'Meters' } })
    const path = `/api/v1/sandboxes/${json.sandboxId}`
    await expect.poll(async () => (await one.plane.call({ key, path })).json.status).toBe('ready')
    const { username, password } = (await one.plane.call({ key, path: `${path}/connection` })).json.mqtt
    const connect = (port: number, clientId: string): Promise<MqttClient> =>
      connectAsync(`mqtt://127.0.0.1:${port}`, {
        ...{ username, password, clientId, protocolVersion: 4, reconnectPeriod: 0 },
      })
    const first = await connect(one.port, 'meter')
    const bystander = await connect(one.port, 'other meter')
    const closed = closeOf(first)
    const second = await connect(two.port, 'meter')
    await closed
    expect([second.connected, bystander.connected]).toEqual([true, true])
    // While this control plane has not announced a client's connection, an announcement of the other control plane is
    // about an earlier connection of that client, and closes nothing.
    const third = await connect(one.port, 'third meter')
    const mqtt = one.plane.plane.mqtt!
    const id = `${json.sandboxId}/third meter`
    mqtt.clientMoved(id)
    await third.publishAsync('anything', '', { qos: 1 })
    mqtt.clientAnnounced(id)
    const moved = closeOf(third)
    mqtt.clientMoved(id)
    await moved
    // A deletion at one control plane disconnects the clients of both.
    const gone = [closeOf(second), closeOf(bystander)]
    expect((await one.plane.call({ key, path, method: 'DELETE' })).status).toBe(204)
    await Promise.all(gone)
  })
})

describe('the sandboxes whose messages control planes read from an external broker', () => {
  const ALIVE_MS = 1_000
  let test: TestDatabase
  let ids: string[]
  beforeAll(async () => {
    test = await testDatabase({ migrations: readMigrations(CONTROL_MIGRATIONS) })
    const { database: db } = test
    await db.run(sql`insert into organizations (id, name, created_at) values ('org_1', 'One', now())`)
    await db.run(sql`insert into developers (id, organization_id, created_at) values ('dev_1', 'org_1', now())`)
    const rows = await db.rows<{ id: string }>(sql`
      insert into sandboxes (id, developer_id, organization_id, tenant_id, name, slug, building, telemetry_days, status,
        created_at, requested_at, expires_at, request_hash, schema_version)
      select 'sbx_' || n, 'dev_1', 'org_1', 'org_' || n, 'Read', 'read-' || n, '{}', 7, 'ready',
        now(), now(), now() + interval '14 days', '', 1 from generate_series(1, 5) n returning id`)
    ids = rows.map(({ id }) => id)
  })
  afterAll(() => test.drop())

  function plane(planeId: string) {
    const control = openDatabase({ url: test.url, log: silentLog, applicationName: planeId, maxConnections: 2 })
    let epoch: number | undefined = 1
    const assignment = createReaderAssignment({ control, planeId, aliveEpoch: () => epoch, aliveMs: ALIVE_MS })
    return {
      assignment,
      alive: () =>
        control.run(
          sql`insert into control_planes (id, host, pid) values (${planeId}, 'test', 1) on conflict (id) do update set seen_at = now()`,
        ),
      setEpoch: (next: number | undefined) => {
        epoch = next
      },
      close: () => control.close(),
    }
  }

  it('[PLN-07] are divided among the control planes, and those of a control plane that no longer reports are taken over', async () => {
    const [one, two] = [plane('cp_1'), plane('cp_2')]
    await one.alive()
    expect((await one.assignment.assign(ids)).size).toBe(5)
    await Promise.all([one.alive(), two.alive()])
    expect((await two.assignment.assign(ids)).size).toBe(0)
    const kept = await one.assignment.assign(ids)
    expect(kept.size).toBe(3)
    await one.assignment.release(ids.filter((id) => !kept.has(id)))
    const taken = await two.assignment.assign(ids)
    expect([...kept, ...taken].sort()).toEqual([...ids].sort())
    expect(ids.filter((id) => one.assignment.isAssigned(id) && two.assignment.isAssigned(id))).toEqual([])

    // The first control plane is frozen, and no longer reports.
    await sleep(ALIVE_MS + 200)
    await two.alive()
    expect((await two.assignment.assign(ids)).size).toBe(5)
    // The first control plane runs again, and must not read until it has asked the database again.
    one.setEpoch(2)
    expect(ids.filter((id) => one.assignment.isAssigned(id))).toEqual([])
    await one.close()
    await two.close()
  })
})
