import { Agent, request } from 'node:http'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { closeFixture, type Fixture, openFixture, type Verdict, whileNeighbourWorks } from './fixture.ts'

/**
 * A tenant with a valid token and without a rate limit sends small compressed bodies. Decompressed, each is 10 MB of
 * whitespace, 10 MB of invalid lines, or 100 MB, which is more than the limit. Every body must be refused, and no stack
 * may end.
 */

const SECONDS = Number(process.env.ATTACK_SECONDS ?? 60)
const CONNECTIONS = 30
const LIMIT = 10 * 1024 * 1024

const fixture = await openFixture({ RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' })
await closeFixture(fixture, [await bombs(fixture)])

interface Bomb {
  path: string
  type: string
  coding: 'gzip' | 'zstd'
  body: Buffer
}

function bombsFor(building: string): Bomb[] {
  const telemetry = `/api/v1/buildings/${building}/telemetry`
  const forms = [
    { path: `${telemetry}/observations`, type: 'application/json' },
    { path: `${telemetry}/observations`, type: 'application/x-ndjson' },
    { path: `${telemetry}/influx/api/v2/write`, type: 'text/plain' },
  ]
  const contents = [' ', '\n', 'x value=1\n', '{}\n'].map((text) => Buffer.alloc(LIMIT, text))
  const beyond = Buffer.alloc(10 * LIMIT)
  const bodies = [...contents, beyond].flatMap((content) => [
    { coding: 'gzip' as const, body: gzipSync(content) },
    { coding: 'zstd' as const, body: zstdCompressSync(content) },
  ])
  return forms.flatMap((form) => bodies.map((body) => ({ ...form, ...body })))
}

async function bombs(fixture: Fixture): Promise<Verdict> {
  const { port, target } = fixture
  const { apiUrl, buildingId, token } = target.connection
  const all = bombsFor(buildingId)
  const statuses = new Map<number, number>()
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const send = ({ path, type, coding, body }: Bomb) =>
    new Promise<number>((resolve) => {
      const headers = {
        host: new URL(apiUrl).host,
        authorization: `Bearer ${token}`,
        'content-type': type,
        'content-encoding': coding,
        'content-length': body.length,
      }
      const sent = request({ host: '127.0.0.1', port, method: 'POST', path, headers, agent }, (answer) => {
        answer.resume().on('close', () => resolve(answer.statusCode!))
      })
      sent.on('error', () => resolve(0))
      sent.end(body)
    })
  let next = 0
  const verdict = await whileNeighbourWorks(fixture, 'decompression bombs', { seconds: SECONDS }, async (over) => {
    const attackers = Array.from({ length: CONNECTIONS }, async () => {
      while (!over.aborted) {
        const status = await send(all[next++ % all.length]!)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    })
    await Promise.all(attackers)
  })
  agent.destroy()
  process.stdout.write(`${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}\n`)
  // 503 means that there is no memory for another body at the moment.
  const isRefused = [...statuses.keys()].every((status) => status === 400 || status === 413 || status === 503)
  return { holds: verdict.holds && isRefused && statuses.size > 0 }
}
