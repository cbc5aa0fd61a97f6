import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CHANGE_KINDS, CHANGES_NAMESPACE, type ChangeKind as Kind, LIVE_NAMESPACE } from '@storey/contract'
import { Server } from 'socket.io'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bearer } from '../credentials/credential.ts'
import type { ChangeFeed, ChangeKind } from './change-feed.ts'
import { connectChanges } from './connect-changes.ts'
import { connectLive } from './connect-live.ts'

// This does not compile if the SDK has a kind that the contract lacks.
const sameKinds: readonly Kind[] = [] as readonly ChangeKind[]
const buildingId = 'building-1'

let http: HttpServer
let io: Server
let url: string
let goodToken: string
let meanwhile: ChangeKind[]
const joins: unknown[] = []
const revisions: (number | undefined)[] = []
const open: { close(): void }[] = []

beforeEach(async () => {
  goodToken = 'token-0'
  meanwhile = [...CHANGE_KINDS]
  joins.length = 0
  http = createServer()
  io = new Server(http)
  for (const name of [LIVE_NAMESPACE, CHANGES_NAMESPACE]) {
    io.of(name).use((socket, next) => {
      if (socket.handshake.auth.token === goodToken) next()
      else next(Object.assign(new Error('no'), { data: { code: 'UNAUTHENTICATED' } }))
    })
  }
  io.of(LIVE_NAMESPACE).on('connection', (socket) => {
    socket.on('join', (_body, reply) => reply({ ok: true, buildingId, sequence: 1 }))
    socket.on('resume', (_body, reply) => reply({ ok: true, buildingId, sequence: 1, replayed: 0 }))
  })
  io.of(CHANGES_NAMESPACE).on('connection', (socket) => {
    socket.on('join', (body, reply) => {
      joins.push(body)
      reply({ ok: true, buildingId, sequence: 7, kinds: meanwhile, revision: 3 })
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  url = `http://sandbox-1.localhost:${(http.address() as AddressInfo).port}`
})
afterEach(async () => {
  for (const connection of open.splice(0)) connection.close()
  await io.close()
})

function follow(credential = bearer('token-0')): { feed: ChangeFeed; published: (readonly ChangeKind[])[] } {
  const feed = connectChanges({ url, credential, buildingId })
  open.push(feed)
  const published: (readonly ChangeKind[])[] = []
  revisions.length = 0
  feed.onChanged((kinds, { revision }) => {
    published.push(kinds)
    revisions.push(revision)
  })
  return { feed, published }
}

const changed = (kinds: ChangeKind[], sequence: number) =>
  io.of(CHANGES_NAMESPACE).emit('changed', { buildingId, kinds }, { sequence })

describe('connectChanges', () => {
  it('[LIV-20] reports every kind when it has joined, and then the kinds that change', async () => {
    const { feed, published } = follow()
    await feed.ready
    expect(feed.status).toBe('live')
    expect(published).toEqual([CHANGE_KINDS])
    expect(revisions).toEqual([3])
    changed(['layers'], 8)
    await expect.poll(() => published.slice(1)).toEqual([['layers']])
    feed.close()
    await expect.poll(() => io.engine.clientsCount).toBe(0)
    expect(sameKinds).toEqual([])
  })

  it('[LIV-20] reports what changed while the connection was broken', async () => {
    const { feed, published } = follow()
    await feed.ready
    changed(['layers'], 8)
    await expect.poll(() => published.length).toBe(2)
    meanwhile = ['requests']
    for (const [, socket] of io.of(CHANGES_NAMESPACE).sockets) socket.conn.close()
    await expect.poll(() => published.slice(2)).toEqual([['requests']])
    expect(joins).toEqual([{ buildingId }, { buildingId, after: 8 }])
    meanwhile = []
    for (const [, socket] of io.of(CHANGES_NAMESPACE).sockets) socket.conn.close()
    await expect.poll(() => joins.length).toBe(3)
    await expect.poll(() => feed.status).toBe('live')
    expect(published).toHaveLength(3)
  })

  it('shares a connection only with a live channel that has the same credential', async () => {
    const credential = bearer('token-0')
    const live = connectLive({ url, credential, buildingId })
    open.push(live)
    const { feed } = follow(credential)
    await Promise.all([live.ready, feed.ready])
    expect(io.engine.clientsCount).toBe(1)
    // A connection has one socket per namespace, so a second feed needs another connection.
    const [second, other] = [follow(credential).feed, follow().feed]
    await Promise.all([second.ready, other.ready])
    expect(io.engine.clientsCount).toBe(3)
    live.close()
    await expect.poll(() => io.of(LIVE_NAMESPACE).sockets.size).toBe(0)
    expect(feed.status).toBe('live')
    for (const one of [feed, second, other]) one.close()
    await expect.poll(() => io.engine.clientsCount).toBe(0)
  })

  it('renews the token only once for both sockets of a connection', async () => {
    let token = 'token-0'
    let renewals = 0
    const credential = {
      token: async () => token,
      async renew() {
        renewals++
        token = goodToken
        return true
      },
    }
    const live = connectLive({ url, credential, buildingId })
    open.push(live)
    const { feed } = follow(credential)
    await Promise.all([live.ready, feed.ready])
    goodToken = 'token-1'
    // When a token expires, the service also closes the connection with all its sockets.
    io.of(CHANGES_NAMESPACE).disconnectSockets(true)
    await expect.poll(() => joins.length).toBe(2)
    await expect.poll(() => [live.status, feed.status]).toEqual(['live', 'live'])
    expect(renewals).toBe(1)
    expect(io.engine.clientsCount).toBe(1)
  })

  it('ends when the service does not have the namespace for changes', async () => {
    const bare = createServer()
    const older = new Server(bare)
    await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))
    const { port } = bare.address() as AddressInfo
    const feed = connectChanges({ url: `http://a.localhost:${port}`, credential: bearer('t'), buildingId })
    await expect(feed.ready).rejects.toThrow('Invalid namespace')
    expect(feed.status).toBe('closed')
    await older.close()
  })
})
