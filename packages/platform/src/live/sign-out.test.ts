import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'
import { sandboxToken, TOKEN_RULES } from '../testing/tokens.ts'
import { connected, liveClient, receivedBy } from './testing/test-live.ts'

let stack: TestStack
let url: string
beforeAll(async () => {
  stack = await startTestStack()
  url = await stack.listen()
})
afterAll(() => stack.close())

const clients: ReturnType<typeof liveClient>[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect()
})

async function follow(token: string, transport = 'websocket') {
  const socket = liveClient(url, { auth: { token }, transports: [transport] })
  clients.push(socket)
  const ended = new Promise((resolve) => socket.once('disconnect', resolve))
  await connected(socket)
  expect(await socket.emitWithAck('join', stack.seeded.buildingId)).toMatchObject({ ok: true })
  return { socket, ended, received: receivedBy(socket) }
}

const publish = () => stack.bus().publish(stack.seeded.buildingId, 'wifi-sensing.event', () => ({ kind: 'any' }))
const readStatus = async (token: string) => (await stack.get('/api/v1/buildings', `Bearer ${token}`)).status

/** The time this many seconds from now, in seconds since 1970, as in the claims of a token. */
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

describe.each(['websocket', 'polling'])('the live channel over %s', (transport) => {
  it('[LIV-12] closes the sockets of a token that expires, and no others', async () => {
    const staying = await follow(await sandboxToken({ sub: 'stays' }), transport)
    const leaving = await follow(await sandboxToken({ sub: 'leaves', exp: inSeconds(3) }), transport)
    expect(leaving.socket.connected).toBe(true)
    // After a disconnect with this reason a client does not reconnect by itself: it needs another token.
    expect(await leaving.ended).toBe('io server disconnect')
    publish()
    await expect.poll(() => staying.received).toHaveLength(1)
    expect(leaving.received).toHaveLength(0)
  })

  it('[LIV-12] closes the sockets of a revoked token immediately, and refuses the token afterwards', async () => {
    const iat = inSeconds(-30)
    const subject = `revoked over ${transport}`
    const revoked = await sandboxToken({ sub: subject, iat })
    const staying = await follow(await sandboxToken({ sub: 'stays', iat }), transport)
    const leaving = [await follow(revoked, transport), await follow(await sandboxToken({ sub: subject, iat, n: 2 }))]
    expect(await readStatus(revoked)).toBe(200)
    stack.revocations().revoke(TOKEN_RULES.issuer, subject, new Date())
    for (const { ended } of leaving) expect(await ended).toBe('io server disconnect')
    expect(await readStatus(revoked)).toBe(401)
    await expect(follow(revoked, transport)).rejects.toMatchObject({ data: { code: 'UNAUTHENTICATED' } })
    expect(await readStatus(await sandboxToken({ sub: subject, iat: inSeconds(1) }))).toBe(200)
    publish()
    await expect.poll(() => staying.received).toHaveLength(1)
    for (const { received } of leaving) expect(received).toHaveLength(0)
  })
})
