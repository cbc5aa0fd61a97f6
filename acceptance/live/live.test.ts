import { Agent } from 'node:http'
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { signedIn, tokenOf } from '../system/service-accounts.ts'
import { api, newDeveloper, newSandbox } from '../system/shared.ts'

/** Resolves every name to loopback, because not every system resolves names below localhost. */
const agent = new Agent({
  lookup: (_name, { all }, found) => {
    if (all) found(null, [{ address: '127.0.0.1', family: 4 }])
    else found(null, '127.0.0.1', 4)
  },
})

// biome-ignore lint/suspicious/noExplicitAny: records as a client sees them
let connection: any
let key: string
let sandboxId: string
let pointId: string
beforeAll(async () => {
  const developer = await newDeveloper()
  key = developer.key
  const created = await newSandbox(key)
  connection = created.connection
  sandboxId = created.record.sandboxId
  const { json } = await call(`${base()}/points?limit=1`, { token: connection.token })
  pointId = json.data[0].id
})

const base = () => `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.disconnect()
})

/** Connects to the live channel at the address of the sandbox. */
async function follow(token: string, transport: string, extraHeaders = {}): Promise<Socket> {
  const options = { forceNew: true, reconnection: false, transports: [transport], auth: { token }, extraHeaders }
  const socket = io(`${connection.apiUrl}/buildings`, { ...options, agent: agent as never })
  sockets.push(socket)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('connect_error', reject)
  })
  return socket
}

describe.each(['websocket', 'polling'])('the live channel through the gateway, over %s', (transport) => {
  it('[LIV-01, LIV-08, LIV-11, EVT-02] delivers posted observations to a page of the sandbox', async () => {
    const { token, buildingId, apiUrl } = connection
    const socket = await follow(token, transport, { origin: new URL(apiUrl).origin })
    expect(await socket.emitWithAck('join', { buildingId })).toMatchObject({ ok: true, buildingId })
    const received = new Promise((resolve) => socket.once('building.point.updated', resolve))
    const observations = [{ pointId, value: '21.5', timestamp: '2026-03-02T10:00:00.000Z' }]
    const { status } = await call(`${base()}/telemetry/observations`, { token, body: { observations } })
    expect(status).toBe(202)
    expect(await received).toMatchObject({ buildingId, observations })
  })

  it('[LIV-10] refuses a page of another origin', async () => {
    for (const origin of ['https://evil.example', 'null', `${new URL(connection.apiUrl).origin}.evil.example`]) {
      await expect(follow(connection.token, transport, { origin })).rejects.toThrow()
    }
  })

  it('[LIV-03, LIV-04] accepts a token of the realm, and refuses an invalid token', async () => {
    const token = await signedIn(key, sandboxId, 'user', `live-${transport}`)
    const socket = await follow(token, transport)
    expect(await socket.emitWithAck('join', connection.buildingId)).toMatchObject({ ok: true })
    await expect(follow('nonsense', transport)).rejects.toMatchObject({ data: { code: 'UNAUTHENTICATED' } })
  })

  it('[LIV-12] disconnects only the removed service account', async () => {
    const path = `/api/v1/sandboxes/${sandboxId}/service-accounts`
    const createAccount = async (name: string) => (await api(key, path, { body: { name, roles: ['user'] } })).json
    const [leaving, staying] = [await createAccount(`leaves-${transport}`), await createAccount(`stays-${transport}`)]
    const [token, other] = [await tokenOf(leaving), await tokenOf(staying)]
    const [socket, second] = [await follow(token, transport), await follow(other, transport)]
    const ended = new Promise((resolve) => socket.once('disconnect', resolve))
    expect((await api(key, `${path}/${leaving.id}`, { method: 'DELETE' })).status).toBe(204)
    expect(await ended).toBe('io server disconnect')
    expect((await call(base(), { token })).status).toBe(401)
    expect(await second.emitWithAck('join', connection.buildingId)).toMatchObject({ ok: true })
  })
})
