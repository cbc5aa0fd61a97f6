import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LIVE_NAMESPACE, type LiveEvent } from '@storey/contract'
import { Server } from 'socket.io'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clientCredentials } from '../credentials/client-credentials.ts'
import { bearer, type Credential } from '../credentials/credential.ts'
import { StoreyError } from '../errors.ts'
import { startServer } from '../testing/test-server.ts'
import { connectLive } from './connect-live.ts'
import type { LiveConnection, LiveStatus } from './live-connection.ts'
import type { LiveEventName } from './live-events.ts'

// This does not compile if the SDK has an event that the contract lacks.
const sameNames: readonly LiveEvent[] = [] as readonly LiveEventName[]
const buildingId = 'building-1'

let http: HttpServer
let io: Server
let url: string
/** The numbers of the last and the oldest event in the log of the fake live channel. */
let head: number
let oldest: number
let goodToken: string
let joinCode: string | undefined
const commands: unknown[][] = []
const open: LiveConnection[] = []

beforeEach(async () => {
  head = 10
  oldest = 0
  goodToken = 'token-0'
  joinCode = undefined
  commands.length = 0
  http = createServer()
  io = new Server(http)
  const namespace = io.of(LIVE_NAMESPACE)
  namespace.use((socket, next) => {
    if (socket.handshake.auth.token === goodToken) next()
    else next(Object.assign(new Error('no'), { data: { code: 'UNAUTHENTICATED' } }))
  })
  namespace.on('connection', (socket) => {
    socket.on('join', (body, reply) => {
      commands.push(['join', body])
      if (joinCode) return reply({ ok: false, code: joinCode })
      socket.join(body.buildingId)
      reply({ ok: true, buildingId: body.buildingId, sequence: head })
    })
    socket.on('resume', (body, reply) => {
      commands.push(['resume', body])
      if (body.after < oldest) return reply({ ok: false, code: 'SNAPSHOT_REQUIRED' })
      socket.join(body.buildingId)
      reply({ ok: true, buildingId: body.buildingId, sequence: head, replayed: head - body.after })
      for (let sequence = body.after + 1; sequence <= head; sequence++) {
        socket.emit('building.point.updated', { buildingId, observations: [] }, { sequence })
      }
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  url = `http://sandbox-1.localhost:${(http.address() as AddressInfo).port}`
})
afterEach(async () => {
  for (const connection of open.splice(0)) connection.close()
  await io.close()
})

function follow(credential: Credential = bearer('token-0')): LiveConnection {
  const connection = connectLive({ url, credential, buildingId })
  open.push(connection)
  return connection
}

/** The sequence numbers of received events, and an entry for each required snapshot. */
function received(connection: LiveConnection): (number | string)[] {
  const all: (number | string)[] = []
  connection.on('building.point.updated', (_event, { sequence }) => all.push(sequence))
  connection.onSnapshotRequired(() => all.push('snapshot'))
  return all
}

function emit(): void {
  head += 1
  io.of(LIVE_NAMESPACE)
    .to(buildingId)
    .emit('building.point.updated', { buildingId, observations: [] }, { sequence: head })
}

const cutAll = () => {
  for (const [, socket] of io.of(LIVE_NAMESPACE).sockets) socket.conn.close()
}

describe('connectLive', () => {
  it('joins the building and delivers events until the connection is closed', async () => {
    const connection = follow()
    const all = received(connection)
    const statuses: LiveStatus[] = []
    connection.onStatus((status) => statuses.push(status))
    await connection.ready
    expect(connection.status).toBe('live')
    emit()
    await expect.poll(() => all).toEqual([11])
    connection.close()
    await expect.poll(() => io.of(LIVE_NAMESPACE).sockets.size).toBe(0)
    expect(statuses).toEqual(['live', 'closed'])
    expect(sameNames).toEqual([])
  })

  it('resumes after the last received event when the connection breaks', async () => {
    const connection = follow()
    const all = received(connection)
    await connection.ready
    emit()
    await expect.poll(() => all).toEqual([11])
    cutAll()
    head = 13
    await expect.poll(() => all).toEqual([11, 12, 13])
    expect(commands.at(-1)).toEqual(['resume', { buildingId, after: 11 }])
    emit()
    await expect.poll(() => all).toEqual([11, 12, 13, 14])
    expect(connection.status).toBe('live')
  })

  it('requires a snapshot after a long interruption, and then delivers events', async () => {
    const connection = follow()
    const all = received(connection)
    await connection.ready
    head = 400
    oldest = 300
    cutAll()
    await expect.poll(() => all).toEqual(['snapshot'])
    emit()
    await expect.poll(() => all).toEqual(['snapshot', 401])
    oldest = 0
    cutAll()
    await expect.poll(() => commands.at(-1)).toEqual(['resume', { buildingId, after: 401 }])
  })

  it('reconnects with a new token when the service closes the socket because its token has expired', async () => {
    let token = 'token-0'
    const credential = {
      token: async () => token,
      async renew() {
        token = goodToken
        return true
      },
    }
    const connection = follow(credential)
    const all = received(connection)
    await connection.ready
    goodToken = 'token-1'
    head = 12
    io.of(LIVE_NAMESPACE).disconnectSockets(true)
    await expect.poll(() => all).toEqual([11, 12])
  })

  it('[SDK-17] tries again while its token has expired and cannot be renewed yet', async () => {
    let token = 'token-0'
    let renewals = 0
    const credential = {
      token: async () => token,
      async renew() {
        renewals++
        // A session resolves with false while its identity provider is unavailable.
        if (renewals === 1) return false
        token = goodToken
        return true
      },
    }
    const connection = follow(credential)
    const all = received(connection)
    await connection.ready
    goodToken = 'token-1'
    head = 12
    io.of(LIVE_NAMESPACE).disconnectSockets(true)
    await expect.poll(() => renewals).toBe(1)
    await expect.poll(() => all).toEqual([11, 12])
    expect(connection.status).toBe('live')
  })

  it('[SDK-17] survives an outage of the realm, and ends when the realm refuses the client', async () => {
    let status = 200
    const realm = await startServer(({ path }) => {
      if (path.includes('well-known')) return { body: { token_endpoint: `${realm.url}/token` } }
      if (status !== 200) return { status, body: { error: status === 401 ? 'invalid_client' : 'temporarily' } }
      return { body: { access_token: goodToken, token_type: 'Bearer', expires_in: 0 } }
    })
    try {
      const connection = follow(clientCredentials({ issuer: realm.url, clientId: 'id', clientSecret: 's' }))
      const all = received(connection)
      const errors: (number | undefined)[] = []
      connection.onStatus((_status, error) => {
        if (error instanceof StoreyError) errors.push(error.status)
      })
      await connection.ready
      status = 503
      cutAll()
      await expect.poll(() => errors).toContain(503)
      expect(connection.status).toBe('away')
      // No connection stays open without a token.
      await expect.poll(() => io.engine.clientsCount).toBe(0)
      head = 12
      status = 200
      await expect.poll(() => all).toEqual([11, 12])
      expect(connection.status).toBe('live')
      status = 401
      cutAll()
      await expect.poll(() => connection.status).toBe('closed')
      expect(errors.at(-1)).toBe(401)
    } finally {
      await realm.close()
    }
  })

  it('ends with an error if its token is refused and cannot be renewed, or the building does not exist', async () => {
    const unauthenticated = follow(bearer('nobody'))
    await expect(unauthenticated.ready).rejects.toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
    expect(unauthenticated.status).toBe('closed')
    joinCode = 'NOT_FOUND'
    await expect(follow().ready).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  it('closes the connection when the signal is aborted, and at once if the signal was aborted before', async () => {
    const ending = new AbortController()
    const connection = connectLive({ url, credential: bearer('token-0'), buildingId, signal: ending.signal })
    await connection.ready
    ending.abort()
    expect(connection.status).toBe('closed')
    const late = connectLive({ url, credential: bearer('token-0'), buildingId, signal: ending.signal })
    await expect(late.ready).rejects.toThrow('closed')
  })
})
