import { randomUUID } from 'node:crypto'
import { LIVE_EVENTS, type LiveEvent } from '@storey/contract'
import { sql } from '@storey/kit/database'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'
import { forgedToken, sandboxToken } from '../testing/tokens.ts'
import { connected, liveClient, type ReceivedEvent, receivedBy } from './testing/test-live.ts'

let stack: TestStack
let url: string
let token: string
let points: string[]
beforeAll(async () => {
  stack = await startTestStack()
  url = await stack.listen()
  token = await sandboxToken()
  points = stack.building.points.map(({ key }) => stack.idOf(key))
})
afterAll(() => stack.close())

const clients: ReturnType<typeof liveClient>[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect()
})

async function connect(options: Parameters<typeof liveClient>[1] = {}) {
  const client = liveClient(url, { auth: { token }, ...options })
  clients.push(client)
  return connected(client)
}

/** The message and data of the error with which a connection is refused. */
async function refusal(options: Parameters<typeof liveClient>[1]) {
  const err = await connect({ auth: {}, ...options }).then(
    () => undefined,
    (err) => err,
  )
  return { message: err?.message, data: err?.data }
}

async function ingest(buildingId: string, observations: object[]): Promise<void> {
  const path = `/api/v1/buildings/${buildingId}/telemetry/observations`
  expect((await stack.send('POST', path, { observations })).status).toBe(202)
}

const observation = (pointId: string | undefined, value: string, timestamp = '2026-03-02T10:00:00.000Z') => ({
  pointId,
  value,
  timestamp,
})

describe.each([
  ['websocket', { transports: ['websocket'] }],
  ['polling', { transports: ['polling'] }],
  ['polling, then websocket', { transports: ['polling', 'websocket'] }],
  ['the path /socket, by websocket', { path: '/socket', transports: ['websocket'] }],
  ['the path /socket, by polling', { path: '/socket', transports: ['polling'] }],
  ['the path /socket, by both', { path: '/socket', transports: ['polling', 'websocket'] }],
])('over %s', (_name, options) => {
  it('[LIV-01, LIV-02, LIV-05, LIV-08, LIV-09, EVT-02] a socket receives the events of its building', async () => {
    const socket = await connect(options)
    const { buildingId } = stack.seeded
    const joined = await socket.emitWithAck('join', { buildingId })
    expect(joined).toEqual({ ok: true, buildingId, sequence: expect.any(Number) })
    const received = receivedBy(socket)
    await ingest(stack.other.buildingId, [observation(stack.other.idOf(stack.other.building.points[0]!.key), '1')])
    await ingest(buildingId, [
      { ...observation(points[0], '21.5'), source: 'meter' },
      observation(points[1], 'open', '2026-03-02T12:00:00.000+02:00'),
    ])
    await expect.poll(() => received).toHaveLength(1)
    const element = async (id: string) =>
      (await stack.get(`/api/v1/buildings/${buildingId}/points/${id}`)).body.elementId
    const timestamp = '2026-03-02T10:00:00.000Z'
    expect(received[0]).toEqual({
      name: 'building.point.updated',
      fields: {
        buildingId,
        observations: [
          { pointId: points[0], elementId: await element(points[0]!), value: '21.5', timestamp, source: 'meter' },
          { pointId: points[1], elementId: await element(points[1]!), value: 'open', timestamp, source: null },
        ],
      },
      meta: { sequence: joined.sequence + 1 },
    } satisfies ReceivedEvent)
  })
})

it('the live channel accepts the upgrade of a connection that began by polling', async () => {
  const socket = await connect({ transports: ['polling', 'websocket'] })
  await expect.poll(() => socket.io.engine.transport.name).toBe('websocket')
  expect((await socket.emitWithAck('join', stack.seeded.buildingId)).ok).toBe(true)
})

describe('the token', () => {
  it.each(['websocket', 'polling'])('[LIV-03] comes in the auth object or in a header, over %s', async (transport) => {
    const transports = [transport]
    expect((await connect({ transports, auth: { token } })).connected).toBe(true)
    const extraHeaders = { authorization: `Bearer ${token}` }
    expect((await connect({ transports, auth: {}, extraHeaders })).connected).toBe(true)
  })

  it('[LIV-04] is required, and must be valid', async () => {
    const iat = Math.floor(Date.now() / 1000) - 7200
    const refused = { message: expect.any(String), data: { code: 'UNAUTHENTICATED' } }
    expect(await refusal({})).toEqual(refused)
    for (const bad of ['', 'nonsense', 12, null, { token }, [token], `Bearer ${token}`, `${token} `]) {
      expect(await refusal({ auth: { token: bad } }), String(bad)).toEqual(refused)
    }
    for (const bad of [
      await forgedToken(),
      await sandboxToken({ iat, exp: iat + 60 }),
      await sandboxToken({ aud: 'sbx_other' }),
    ]) {
      expect(await refusal({ auth: { token: bad } })).toEqual(refused)
      expect(await refusal({ extraHeaders: { authorization: `Bearer ${bad}` } })).toEqual(refused)
    }
    // If the auth object has a token, the token in the header is not used.
    expect(await refusal({ auth: { token: 'bad' }, extraHeaders: { authorization: `Bearer ${token}` } })).toEqual(
      refused,
    )
  })

  it('[LIV-04, PRM-01] must be of this tenant', async () => {
    for (const tenant_id of ['org_other', undefined]) {
      const auth = { token: await sandboxToken({ tenant_id }) }
      expect(await refusal({ auth })).toEqual({ message: expect.any(String), data: { code: 'PERMISSION_DENIED' } })
    }
  })

  it('[PRM-03, PRM-17, LIV-06] allows the buildings it names, whatever its roles', async () => {
    const { buildingId } = stack.seeded
    const claims = { building_ids: [buildingId.toUpperCase()], realm_access: { roles: [] } }
    const socket = await connect({ auth: { token: await sandboxToken(claims) } })
    const refused = { ok: false, code: 'PERMISSION_DENIED' }
    expect(await socket.emitWithAck('join', buildingId)).toMatchObject({ ok: true })
    expect(await socket.emitWithAck('join', stack.other.buildingId)).toEqual(refused)
    expect(await socket.emitWithAck('join', randomUUID())).toEqual(refused)
    expect(await socket.emitWithAck('resume', { buildingId: stack.other.buildingId, after: 1 })).toEqual(refused)
    const received = receivedBy(socket)
    await ingest(stack.other.buildingId, [observation(stack.other.idOf(stack.other.building.points[0]!.key), '1')])
    await ingest(buildingId, [observation(points[0], '1')])
    await expect.poll(() => received).toHaveLength(1)
    expect(received[0]?.fields.buildingId).toBe(buildingId)
  })
})

describe('commands', () => {
  it('[LIV-05, LIV-07, LIV-08] accept the building id in an object or as a text, in either letter case, acknowledged or not', async () => {
    const { buildingId } = stack.seeded
    const socket = await connect()
    const received = receivedBy(socket)
    const publish = async () => {
      await ingest(buildingId, [observation(points[0], '1')])
      await socket.emitWithAck('leave', randomUUID())
      return received.splice(0).length
    }
    expect(await socket.emitWithAck('join', buildingId.toUpperCase())).toMatchObject({ ok: true, buildingId })
    expect(await publish()).toBe(1)
    expect(await socket.emitWithAck('leave', { buildingId: buildingId.toUpperCase() })).toEqual({
      ok: true,
      buildingId,
    })
    expect(await publish()).toBe(0)
    socket.emit('join', { buildingId })
    await socket.emitWithAck('join', { buildingId })
    expect(await publish()).toBe(1)
    socket.emit('leave', buildingId)
    expect(await publish()).toBe(0)
    expect(await socket.emitWithAck('leave', buildingId)).toEqual({ ok: true, buildingId })
  })

  it('[LIV-06] are refused with a code if the building does not exist or the body is invalid', async () => {
    const socket = await connect()
    const { buildingId } = stack.seeded
    expect(await socket.emitWithAck('join', randomUUID())).toEqual({ ok: false, code: 'NOT_FOUND' })
    const bad = [undefined, null, 1, '', 'nonsense', [], [buildingId], {}, { buildingId: 1 }, { buildingId, and: 1 }]
    for (const body of bad) {
      expect(await socket.emitWithAck('join', body), String(body)).toEqual({ ok: false, code: 'VALIDATION_FAILED' })
    }
    for (const body of [undefined, buildingId, { buildingId }, { buildingId, after: -1 }, { buildingId, after: '1' }]) {
      expect(await socket.emitWithAck('resume', body)).toEqual({ ok: false, code: 'VALIDATION_FAILED' })
    }
    expect(await socket.emitWithAck('leave', 7)).toEqual({ ok: false, code: 'VALIDATION_FAILED' })
  })

  it('are refused if they are unknown, and change nothing', async () => {
    const socket = await connect()
    expect(await socket.emitWithAck('subscribe', 1)).toEqual({ ok: false, code: 'VALIDATION_FAILED' })
    for (const name of ['error', 'message', 'toString', '__proto__', 'subscribe']) socket.emit(name, { a: 1 })
    socket.emit('join')
    socket.emit('join', Buffer.from('x'))
    expect(await socket.emitWithAck('join', stack.seeded.buildingId)).toMatchObject({ ok: true })
    expect((await stack.get('/healthz')).status).toBe(200)
  })
})

it('the live channel refuses other namespaces, even with a token', async () => {
  for (const name of ['', '/', '/elsewhere']) {
    const { io } = await import('socket.io-client')
    const client = io(`${url}${name}`, { forceNew: true, reconnection: false, auth: { token } })
    clients.push(client)
    await expect(connected(client)).rejects.toThrow('Invalid namespace')
  }
})

it('[LIV-13, EVT-06] the live channel carries all eight public kinds of events, and no internal one', async () => {
  const { buildingId } = stack.seeded
  const socket = await connect()
  await socket.emitWithAck('join', buildingId)
  const received = receivedBy(socket)
  stack.bus().publish(buildingId, 'building.fault.created', () => ({ buildingId, faultId: 'f' }))
  stack.bus().publish(buildingId, 'service-desk.ticket.created', () => ({ buildingId }))
  for (const name of LIVE_EVENTS) stack.bus().publish(buildingId, name, () => ({ buildingId, of: name }))
  await expect.poll(() => received).toHaveLength(8)
  expect(received.map(({ name }) => name)).toEqual(LIVE_EVENTS)
  expect(received.map(({ fields }) => fields)).toEqual(LIVE_EVENTS.map((of: LiveEvent) => ({ buildingId, of })))
})

it('[EVT-03] an ingest call causes one event, or several events if the call has more than 1,000 observations', async () => {
  const { buildingId } = stack.seeded
  const socket = await connect()
  await socket.emitWithAck('join', buildingId)
  const received = receivedBy(socket)
  const at = (i: number) => new Date(Date.UTC(2026, 2, 3) + i * 1000).toISOString()
  // The values are texts, in which no rule detects a fault.
  const sent = Array.from({ length: 2_500 }, (_, i) => observation(points[i % points.length], `v${i}`, at(i)))
  await ingest(buildingId, sent)
  await ingest(buildingId, [observation(points[0], 'one')])
  await expect.poll(() => received).toHaveLength(4)
  expect(received.map(({ fields }) => fields.observations.length)).toEqual([1000, 1000, 500, 1])
  const values = received.flatMap(({ fields }) => fields.observations.map(({ value }: { value: string }) => value))
  expect(values).toEqual([...sent.map(({ value }) => value), 'one'])
})

it('[LIV-27] the first client that joins during a commit gets the values of that commit', async () => {
  const own = await startTestStack()
  try {
    const socket = await connected(liveClient(await own.listen(), { auth: { token } }))
    const received = receivedBy(socket)
    const { buildingId } = own.seeded
    const telemetry = `/api/v1/buildings/${buildingId}/telemetry`
    const pointId = own.idOf(own.building.points[0]!.key)
    const latest = async () =>
      (await own.get(`${telemetry}/latest`)).body.data.find((row: { pointId: string }) => row.pointId === pointId)
        ?.value
    let sent: ReturnType<typeof own.send> | undefined
    await own.db.transaction(async (tx) => {
      await tx.run(sql`lock table observation_batches in share mode`)
      sent = own.send('POST', `${telemetry}/observations`, { observations: [observation(pointId, '21.5')] })
      await expect
        .poll(() =>
          own.db.row(sql`select 1 from pg_locks join pg_database on oid = database
          where datname = current_database() and not granted`),
        )
        .toBeDefined()
      expect(await socket.emitWithAck('join', buildingId)).toMatchObject({ ok: true })
      expect(await latest()).not.toBe('21.5')
    })
    expect((await sent!).status).toBe(202)
    await expect.poll(() => received).toMatchObject([{ fields: { observations: [{ pointId, value: '21.5' }] } }])
    socket.disconnect()
  } finally {
    await own.close()
  }
})

it('the live channel subscribes to the bus only when a client has joined a building', async () => {
  const own = await startTestStack()
  try {
    const address = await own.listen()
    expect(own.bus().hasSubscribers('building.point.updated')).toBe(false)
    const socket = await connected(liveClient(address, { auth: { token } }))
    expect(own.bus().hasSubscribers('building.point.updated')).toBe(false)
    await socket.emitWithAck('join', own.seeded.buildingId)
    expect(own.bus().hasSubscribers('building.point.updated')).toBe(true)
    const ended = new Promise((resolve) => socket.once('disconnect', resolve))
    await own.restart()
    expect(await ended).toBe('transport close')
  } finally {
    await own.close()
  }
})
