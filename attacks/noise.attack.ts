import { setTimeout as sleep } from 'node:timers/promises'
import { closeFixture, openFixture } from './fixture.ts'
import { openRawSocket } from './raw-socket.ts'

/** Clients disconnect at every point of a request. None of them may cause a log line of level info or above. */

const TIMES = 30
const fixture = await openFixture({ LOG_LEVEL: 'info' })
const { port, target, key } = fixture
const here = `host: localhost:${port}\r\n`
const there = `host: ${new URL(target.connection.apiUrl).host}\r\n`
const building = `/api/v1/buildings/${target.connection.buildingId}`
const own = `authorization: Bearer ${target.connection.token}\r\n`
const json = 'content-type: application/json\r\n'
const form = 'content-type: application/x-www-form-urlencoded\r\n'
const socketIo = '/socket.io/?EIO=4&transport='
const websocket =
  'connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n'

/** The bytes to send, and how long to keep the connection open afterwards. */
const CASES: Record<string, [bytes: string, stayMs: number]> = {
  'nothing at all': ['', 5],
  'half a head': [`GET /healthz HTTP/1.1\r\n${here}`, 20],
  'not HTTP': ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 20],
  'half a body': [
    `POST /api/v1/sandboxes HTTP/1.1\r\n${here}${json}authorization: Bearer ${key}\r\ncontent-length: 500\r\n\r\n{"na`,
    50,
  ],
  'half a chunk': [
    `POST /api/v1/sandboxes HTTP/1.1\r\n${here}${json}authorization: Bearer ${key}\r\ntransfer-encoding: chunked\r\n\r\n50\r\n{"na`,
    50,
  ],
  'a bad chunk': [
    `POST /api/v1/sandboxes HTTP/1.1\r\n${here}${json}authorization: Bearer ${key}\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{"na`,
    50,
  ],
  'half a body to a sandbox': [
    `POST ${building}/spaces HTTP/1.1\r\n${there}${json}${own}content-length: 500\r\n\r\n{"na`,
    50,
  ],
  'half a batch of observations': [
    `POST ${building}/telemetry/observations HTTP/1.1\r\n${there}${json}${own}content-length: 500000\r\n\r\n{"ob`,
    50,
  ],
  'half a model': [
    `POST ${building}/import/ifc HTTP/1.1\r\n${there}content-type: application/x-step\r\n${own}content-length: 500000\r\n\r\nISO-10303-21;`,
    50,
  ],
  'half a form': [`POST /realms/developers/token HTTP/1.1\r\n${here}${form}content-length: 500\r\n\r\ngrant_`, 50],
  'half a device form': [
    `POST /realms/developers/device HTTP/1.1\r\n${here}${form}content-length: 500\r\n\r\nxsrf=`,
    50,
  ],
  'response not read': [`GET /api/v1/openapi.json HTTP/1.1\r\n${here}\r\n`, 0],
  'half a response': [`GET ${building}/spaces?limit=1000 HTTP/1.1\r\n${there}${own}\r\n`.repeat(20), 3],
  'disconnect after a page request': [`GET / HTTP/1.1\r\n${there}\r\n`, 0],
  'disconnect after the start of a sign-in': [
    `GET /realms/developers/auth?client_id=svc-portal HTTP/1.1\r\n${here}\r\n`,
    0,
  ],
  'pipelined requests': [`GET /healthz HTTP/1.1\r\n${here}\r\n`.repeat(200), 100],
  'pipelined requests, sandbox': [`GET /healthz HTTP/1.1\r\n${there}\r\n`.repeat(200), 100],
  'disconnect after an upgrade': [`GET ${socketIo}websocket HTTP/1.1\r\n${there}${websocket}\r\n`, 0],
  'an upgrade with garbage': [`GET ${socketIo}websocket HTTP/1.1\r\n${there}${websocket}\r\n${'\xff'.repeat(200)}`, 50],
  'disconnect after a poll': [`GET ${socketIo}polling HTTP/1.1\r\n${there}\r\n`, 1],
  'a posted poll': [`POST ${socketIo}polling&sid=x HTTP/1.1\r\n${there}content-length: 5000\r\n\r\n4`, 20],
  'unknown sandbox': [`POST / HTTP/1.1\r\nhost: nobody.localhost:${port}\r\ncontent-length: 9999999\r\n\r\nx`, 20],
  CONNECT: [`CONNECT example.com:443 HTTP/1.1\r\n${here}\r\n`, 20],
  'upgrade to h2c': [
    `GET / HTTP/1.1\r\n${here}connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: x\r\n\r\n`,
    20,
  ],
  'HTTP/2 preface': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 20],
  'large headers': [`GET / HTTP/1.1\r\n${here}x: ${'y'.repeat(60_000)}\r\n\r\n`, 20],
}

let noisy = 0
for (const [title, [bytes, stayMs]] of Object.entries(CASES)) {
  const before = fixture.system.output().length
  for (let i = 0; i < TIMES; i++) {
    const raw = await openRawSocket(port)
    raw.write(Buffer.from(bytes, 'latin1'))
    await sleep(stayMs)
    if (i % 2) raw.socket.resetAndDestroy()
    else raw.end()
  }
  await sleep(300)
  const lines = fixture.system.output().slice(before).split('\n').filter(Boolean)
  if (lines.length > 0) noisy++
  process.stdout.write(`${title.padEnd(40)} ${lines.length} lines ${lines.slice(0, 4).join('\n    ')}\n`)
}
const alive = await fixture.actors.api(key, '/api/v1/sandboxes')
await closeFixture(fixture, [{ holds: noisy === 0 && alive.status === 200 }])
