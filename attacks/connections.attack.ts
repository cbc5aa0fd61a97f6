import { existsSync, readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { io } from 'socket.io-client'
import { closeFixture, type Fixture, openFixture, type Verdict, whileNeighbourWorks } from './fixture.ts'
import { ATTACKER, openRawSocket, type RawSocket } from './raw-socket.ts'

/**
 * Opens many connections from one address. They are idle, send incomplete or slow requests, do not read the responses,
 * or have no credential. An argument selects cases by title.
 */

const only = process.argv[3] ?? ''
const LOOPBACK = { address: '127.0.0.1', family: 4 }
/**
 * The minimum share of callers at the attacker's address that must join. It is below 1, because the gateway cannot
 * distinguish the new connections of these callers from the attacker's.
 */
const OWN_ADDRESS_SHARE = 0.95
const LIVE = 'Unauthenticated clients of the live channel'
const seconds = Number(process.env.ATTACK_SECONDS ?? 60)
const fixture = await openFixture()
const control = `localhost:${fixture.port}`
const sandbox = new URL(fixture.target.connection.apiUrl).host

interface OpenedConnections {
  opened: number
  /** The highest number of connections open at the same time. */
  most: number
  /** How long the longest-lived connection stayed open. */
  longestMs: number
  /** The peak memory of the kernel for all connections, as a share of the machine's memory. */
  kernelShare: number
}

/** Linux begins to slow down connections when they use about 5 % of the memory. */
const MAX_KERNEL_SHARE = 0.04
const PAGE_BYTES = 4_096

/** The share of the machine's memory that the kernel uses for connections; 0 where it is not reported. */
function kernelShare(): number {
  if (!existsSync('/proc/net/sockstat')) return 0
  const pages = /^TCP: .* mem (\d+)$/m.exec(readFileSync('/proc/net/sockstat', 'utf8'))?.[1]
  return (Number(pages) * PAGE_BYTES) / totalmem()
}

/** Keeps `count` connections open and replaces each one that is closed, a few hundred a second at most. */
async function keepOpen(
  over: AbortSignal,
  count: number,
  act: (socket: RawSocket, i: number) => void,
): Promise<OpenedConnections> {
  const open = new Set<RawSocket>()
  const figures: OpenedConnections = { opened: 0, most: 0, longestMs: 0, kernelShare: 0 }
  while (!over.aborted) {
    for (let i = 0; i < 15 && open.size < count; i++) {
      const socket = await openRawSocket(fixture.port).catch(() => undefined)
      if (socket === undefined) break
      open.add(socket)
      act(socket, figures.opened++)
      socket.closed.then((ms) => {
        open.delete(socket)
        figures.longestMs = Math.max(figures.longestMs, ms)
      })
    }
    figures.most = Math.max(figures.most, open.size)
    figures.kernelShare = Math.max(figures.kernelShare, kernelShare())
    await sleep(50)
  }
  for (const socket of open) socket.end()
  return figures
}

const writeSlowly = (socket: RawSocket, byte: string, everyMs: number) => {
  const timer = setInterval(() => socket.write(byte), everyMs)
  socket.closed.then(() => clearInterval(timer))
}

/** `limitMs` is the longest time for which the service may keep a connection of the case open. */
const cases: { title: string; count: number; limitMs: number; act(socket: RawSocket, i: number): void }[] = [
  {
    title: 'Request heads that are never finished',
    count: 2_000,
    limitMs: 14_000,
    act: (socket, i) => i % 3 && socket.write(`GET /healthz HTTP/1.1\r\nHost: ${i % 2 ? control : sandbox}\r\nX-A`),
  },
  {
    title: 'Heads and bodies sent byte by byte',
    count: 800,
    limitMs: 35_000,
    act(socket, i) {
      if (i % 2) socket.write(`POST /api/v1/sandboxes HTTP/1.1\r\nHost: ${control}\r\nContent-Length: 100000\r\n\r\n`)
      else socket.write(`POST /api/v1/webhooks HTTP/1.1\r\nHost: ${sandbox}\r\nX-A: `)
      writeSlowly(socket, 'x', 500)
    },
  },
  {
    title: 'Responses that are never read',
    count: 400,
    limitMs: 40_000,
    act(socket, i) {
      socket.socket.pause()
      // The responses are larger than the buffers of the kernel.
      socket.write(`GET /api/v1/openapi.json HTTP/1.1\r\nHost: ${i % 2 ? control : sandbox}\r\n\r\n`.repeat(250))
      // A paused socket notices a reset only when it writes.
      writeSlowly(socket, '\r\n', 2_000)
    },
  },
  {
    title: 'Responses that a caller never reads',
    count: 400,
    limitMs: Number.POSITIVE_INFINITY,
    act(socket, i) {
      socket.socket.pause()
      const isLast = (n: number) => (i % 2 && n === 39 ? 'Connection: close\r\n' : '')
      const get = (path: string, lines: string) => `GET ${path} HTTP/1.1\r\nHost: ${sandbox}\r\n${lines}\r\n`
      socket.write(get('/api/v1/buildings', `Authorization: Bearer ${fixture.target.connection.token}\r\n`))
      socket.write(Array.from({ length: 40 }, (_, n) => get('/api/v1/openapi.json', isLast(n))).join(''))
      writeSlowly(socket, '\r\n', 2_000)
    },
  },
  {
    title: 'Requests without a credential, one after another',
    count: 200,
    limitMs: Number.POSITIVE_INFINITY,
    act(socket, i) {
      const request = `GET /api/v1/${i % 2 ? 'sandboxes' : 'buildings'} HTTP/1.1\r\nHost: ${i % 2 ? control : sandbox}\r\n\r\n`
      socket.write(request)
      socket.socket.on('data', () => setTimeout(() => socket.write(request), 100))
    },
  },
]

const verdicts: Verdict[] = []
for (const { title, count, limitMs, act } of cases.filter(({ title }) => title.includes(only))) {
  let figures: OpenedConnections | undefined
  const verdict = await whileNeighbourWorks(fixture, title, { seconds }, async (over) => {
    figures = await keepOpen(over, count, act)
  })
  const { opened, most, longestMs, kernelShare } = figures!
  process.stdout.write(
    `${opened} opened, at most ${most} at a time, kept for ${(longestMs / 1000).toFixed(1)} s at most; ` +
      `the kernel used ${(kernelShare * 100).toFixed(1)} % of the memory for connections\n`,
  )
  const holds = longestMs <= limitMs && opened > 0 && kernelShare <= MAX_KERNEL_SHARE
  verdicts.push({ holds: verdict.holds && holds })
}
if (LIVE.includes(only)) verdicts.push(await unauthenticatedOnTheLiveChannel(fixture))
await closeFixture(fixture, verdicts)

interface Joined {
  waits: number[]
  /** For each caller that did not join, the step at which it failed. */
  failures: string[]
}

/** Connects one caller after another from this loopback address, alternately by polling and by WebSocket. */
async function callersAt(localAddress: string, { target }: Fixture, over: AbortSignal): Promise<Joined> {
  const { apiUrl, token, buildingId } = target.connection
  const lookup = (_name: string, { all }: { all?: boolean }, found: (...args: unknown[]) => void) =>
    found(null, all ? [LOOPBACK] : LOOPBACK.address, 4)
  const agent = new Agent({ localAddress, lookup: lookup as never })
  const joined: Joined = { waits: [], failures: [] }
  for (let i = 0; !over.aborted; i++) {
    const from = performance.now()
    const transport = i % 2 ? 'websocket' : 'polling'
    let step = 'before it was open'
    const socket = io(`${apiUrl}/buildings`, {
      ...{ forceNew: true, reconnection: false, auth: { token }, agent: agent as never },
      transports: [transport],
    })
    socket.io.once('open', () => (step = 'before it was signed in'))
    const failure = await new Promise<string | undefined>((resolve) => {
      socket.once('connect', () => {
        step = 'before it had joined'
        socket.emit('join', buildingId, ({ ok }: { ok: boolean }) => resolve(ok ? undefined : 'refused'))
      })
      socket.once('connect_error', ({ message }) => resolve(message))
      socket.once('disconnect', resolve)
      setTimeout(() => resolve('no response within 10 s'), 10_000).unref()
    })
    socket.off('disconnect').disconnect()
    if (failure === undefined) joined.waits.push(performance.now() - from)
    else joined.failures.push(`${transport}: ${failure} ${step}`)
    await sleep(250)
  }
  return joined
}

/** Opens 1,000 polling and 1,000 WebSocket connections without a token while callers of the same sandbox connect. */
async function unauthenticatedOnTheLiveChannel(fixture: Fixture): Promise<Verdict> {
  const polling = `GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: ${sandbox}\r\n\r\n`
  const websocket =
    `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${sandbox}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
  let otherAddress: Joined | undefined
  let sameAddress: Joined | undefined
  const verdict = await whileNeighbourWorks(fixture, LIVE, { seconds }, async (over) => {
    const act = (socket: RawSocket, i: number) => socket.write(i % 2 ? websocket : polling)
    const callers = [callersAt('127.0.0.2', fixture, over), callersAt(ATTACKER, fixture, over)] as const
    const [figures, ...joined] = await Promise.all([keepOpen(over, 2_000, act), ...callers])
    ;[otherAddress, sameAddress] = joined
    process.stdout.write(`${figures.opened} opened, at most ${figures.most} at a time\n`)
  })
  const worst = ({ waits }: Joined) => Math.max(0, ...waits)
  const printJoined = (where: string, joined: Joined) => {
    const reasons = [...new Set(joined.failures)].join('; ')
    process.stdout.write(
      `${joined.waits.length} callers ${where} joined within ${worst(joined).toFixed(0)} ms, ` +
        `${joined.failures.length} did not join${reasons && `: ${reasons}`}\n`,
    )
  }
  printJoined('at another address', otherAddress!)
  printJoined('at the same address', sameAddress!)
  const share = sameAddress!.waits.length / (sameAddress!.waits.length + sameAddress!.failures.length)
  const isOpen = otherAddress!.failures.length === 0 && otherAddress!.waits.length > 0 && worst(otherAddress!) < 2_000
  return { holds: verdict.holds && isOpen && share >= OWN_ADDRESS_SHARE }
}
