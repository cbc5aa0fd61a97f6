import { equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { io, type Socket } from 'socket.io-client'
import { call as callDirectly } from '../../acceptance/system/call.ts'
import type { Suite } from '../suite.ts'
import { openHttp2 } from './clients.ts'
import type { Sandbox, World } from './world.ts'

/** Longer than the idle timeouts for HTTP and WebSockets in the files of `deploy/`, which are at most 75 s. */
const IDLE_MS = 85_000

export interface Follower {
  socket: Socket
  sandbox: Sandbox
  disconnects: string[]
}

/** Connects to the live channel over one transport, through the proxy. */
export async function follow(world: World, sandbox: Sandbox, transport: string): Promise<Follower> {
  const agent = new Agent({
    ca: world.ca,
    keepAlive: true,
    lookup: (_name, { all }, found) => (all ? found(null, [LOOPBACK]) : found(null, LOOPBACK.address, 4)),
  })
  const socket = io(`https://${sandbox.host}/buildings`, {
    forceNew: true,
    transports: [transport],
    auth: { token: sandbox.token },
    agent: agent as never,
    extraHeaders: { origin: `https://${sandbox.host}` },
  })
  const disconnects: string[] = []
  socket.on('disconnect', (reason) => disconnects.push(reason))
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('connect_error', reject)
  })
  await socket.emitWithAck('join', { buildingId: sandbox.buildingId })
  return { socket, sandbox, disconnects }
}

const LOOPBACK = { address: '127.0.0.1', family: 4 }

/** Sends an observation and waits until the follower has its event. */
export async function receives({ socket, sandbox }: Follower, value: string): Promise<void> {
  const { token, points, directUrl } = sandbox
  const received = new Promise<void>((resolve) => {
    const listen = ({ observations }: { observations: { value: string }[] }) => {
      if (observations.some((each) => each.value === value)) {
        socket.off('building.point.updated', listen)
        resolve()
      }
    }
    socket.on('building.point.updated', listen)
  })
  const observations = [{ pointId: points[1], value }]
  equal((await callDirectly(`${directUrl}/telemetry/observations`, { token, body: { observations } })).status, 202)
  const limit = sleep(20_000, 'late', { ref: false })
  ok((await Promise.race([received, limit])) !== 'late', 'the event did not arrive')
}

/** Checks the live channel. Returns the check for after the idle time, so that other checks can run meanwhile. */
export async function checkLive(suite: Suite, world: World): Promise<() => Promise<void>> {
  const followers: Follower[] = []
  for (const transport of ['websocket', 'polling']) {
    await suite.check(`the live channel over ${transport} delivers events of each sandbox`, async () => {
      for (const sandbox of world.sandboxes) followers.push(await follow(world, sandbox, transport))
      for (const follower of followers) {
        equal(
          follower.socket.io.engine.transport.name,
          follower === followers.at(-1) ? transport : follower.socket.io.engine.transport.name,
        )
        await receives(follower, `${Math.random()}`)
      }
    })
  }
  await suite.check('a page of another origin gets no live channel', async () => {
    const [sandbox] = world.sandboxes
    const foreign = { ...sandbox, host: sandbox.host }
    const headers = { origin: 'https://evil.example' }
    const client = world.http1()
    const reply = await client.send(foreign.host, '/socket.io/?EIO=4&transport=polling', { headers })
    equal(reply.status, 403)
    client.close()
  })
  await suite.check('WebSockets work over HTTP/2 (RFC 8441) where the proxy offers it', async () => {
    const session = await openHttp2({ port: world.ports.https, ca: world.ca })
    if (!session.remoteSettings) await once(session, 'remoteSettings')
    await sleep(200)
    const isOffered = session.remoteSettings?.enableConnectProtocol === true
    if (isOffered) equal(await openSocket(session, world.sandboxes[0].host), '0{"sid"')
    session.destroy()
    return isOffered ? 'offered' : 'not offered: browsers open a connection with HTTP/1.1 for them'
  })
  const openedAt = performance.now()

  return async () => {
    await suite.check(
      'WebSockets and long polls without events stay open beyond the idle timeouts of the proxy',
      async () => {
        const left = IDLE_MS - (performance.now() - openedAt)
        if (left > 0) await sleep(left)
        equal(followers.flatMap(({ disconnects }) => disconnects).join(), '')
        for (const follower of followers) await receives(follower, `${Math.random()}`)
        equal(followers.flatMap(({ disconnects }) => disconnects).join(), '')
        return `${Math.round((performance.now() - openedAt) / 1000)} s`
      },
    )
    for (const { socket } of followers) socket.disconnect()
  }
}

/** The beginning of the first WebSocket frame on an HTTP/2 stream. */
function openSocket(session: Awaited<ReturnType<typeof openHttp2>>, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'CONNECT',
      ':protocol': 'websocket',
      ':scheme': 'https',
      ':authority': host,
      ':path': '/socket.io/?EIO=4&transport=websocket',
      'sec-websocket-version': '13',
      origin: `https://${host}`,
    })
    stream.on('response', (head) => head[':status'] === 200 || resolve(`status ${head[':status']}`))
    stream.on('data', (frame: Buffer) => resolve(frame.subarray(2, 9).toString()))
    stream.on('error', reject)
    stream.setTimeout(10_000, () => reject(new Error('no frame')))
  })
}
