import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { closeFixture, type Fixture, openFixture, type Verdict, whileNeighbourWorks } from './fixture.ts'
import { openRawSocket } from './raw-socket.ts'

/**
 * Sends large, endless or deeply nested request bodies to every kind of route, without a valid credential. The log must
 * show no warning, error or stack trace.
 */

const SECONDS = Number(process.env.ATTACK_SECONDS ?? 60)
const CHUNK = Buffer.from('{},'.repeat(21_845))
const LENGTH = 10 * 1024 * 1024

interface Sender {
  title: string
  host: string
  head: string
  /** The framing and the content of the body. */
  body: 'long' | 'endless' | 'deep'
}

function sendersOf({ port, target }: Fixture): Sender[] {
  const here = `localhost:${port}`
  const there = new URL(target.connection.apiUrl).host
  const building = `/api/v1/buildings/${target.connection.buildingId}`
  const json = 'content-type: application/json\r\n'
  const form = 'content-type: application/x-www-form-urlencoded\r\n'
  const bad = `authorization: Bearer svc_${'x'.repeat(43)}\r\n`
  return [
    { title: 'unknown route', host: here, head: `POST /nothing HTTP/1.1\r\n${json}`, body: 'long' },
    { title: 'no credential', host: here, head: `POST /api/v1/sandboxes HTTP/1.1\r\n${json}`, body: 'long' },
    { title: 'bad credential', host: here, head: `POST /api/v1/keys HTTP/1.1\r\n${json}${bad}`, body: 'endless' },
    { title: 'wrong method', host: here, head: `PUT /api/v1/sandboxes HTTP/1.1\r\n${json}`, body: 'endless' },
    { title: 'public page', host: here, head: 'GET /docs HTTP/1.1\r\n', body: 'endless' },
    { title: 'token', host: here, head: `POST /realms/developers/token HTTP/1.1\r\n${form}`, body: 'endless' },
    {
      title: 'unknown route of a realm',
      host: here,
      head: `POST /realms/sandboxes/x HTTP/1.1\r\n${json}`,
      body: 'long',
    },
    {
      title: 'wrong type',
      host: there,
      head: `PUT ${building}/spaces HTTP/1.1\r\ncontent-type: a/b\r\n`,
      body: 'long',
    },
    { title: 'sandbox route', host: there, head: `POST ${building}/spaces HTTP/1.1\r\n${json}`, body: 'long' },
    {
      title: 'observations',
      host: there,
      head: `POST ${building}/telemetry/observations HTTP/1.1\r\n${json}${bad}`,
      body: 'endless',
    },
    { title: 'unknown route of a sandbox', host: there, head: `POST /x HTTP/1.1\r\n${json}`, body: 'endless' },
    { title: 'model', host: there, head: `POST ${building}/import/ifc HTTP/1.1\r\n${json}`, body: 'deep' },
  ]
}

/** Opens one connection after another, and sends on each until it is closed or the whole body is sent. */
async function send(port: number, { host, head, body }: Sender, over: AbortSignal): Promise<Record<string, number>> {
  const seen: Record<string, number> = {}
  const piece = body === 'deep' ? Buffer.alloc(64 * 1024, '[') : CHUNK
  const framed = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
  const isChunked = body === 'endless'
  while (!over.aborted) {
    const raw = await openRawSocket(port).catch(() => undefined)
    if (raw === undefined) continue
    raw.write(
      `${head}host: ${host}\r\n${isChunked ? 'transfer-encoding: chunked' : `content-length: ${LENGTH}`}\r\n\r\n`,
    )
    for (let sent = 0; !over.aborted && !raw.socket.destroyed && (isChunked || sent < LENGTH); sent += piece.length) {
      if (raw.socket.write(isChunked ? framed : piece)) await new Promise(setImmediate)
      else await Promise.race([once(raw.socket, 'drain').catch(() => undefined), raw.closed, aborted(over)])
    }
    const status = /^HTTP\/1\.1 (\d+)/.exec(raw.received().toString('latin1'))?.[1] ?? 'none'
    seen[status] = (seen[status] ?? 0) + 1
    raw.end()
  }
  return seen
}

const aborted = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))

/** The CPU time that a process has used so far. The kernel counts in ticks, 100 a second. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const fixture = await openFixture({ LOG_LEVEL: 'info' })
const senders = sendersOf(fixture)
const before = fixture.system.output().length
const verdicts: Verdict[] = []
verdicts.push(
  await whileNeighbourWorks(fixture, 'bodies without a valid credential', { seconds: SECONDS }, async (over) => {
    const from = cpuSeconds(fixture.system.pid)
    const seen = await Promise.all(senders.map((sender) => send(fixture.port, sender, over)))
    process.stdout.write(
      `the control plane used ${(cpuSeconds(fixture.system.pid) - from).toFixed(1)} s of CPU in ${SECONDS} s\n`,
    )
    for (const [i, statuses] of seen.entries()) {
      process.stdout.write(`${senders[i]!.title.padEnd(20)} ${JSON.stringify(statuses)}\n`)
    }
  }),
)

const noise = fixture.system.output().slice(before).split('\n').filter(Boolean)
process.stdout.write(`${noise.length} lines in the log\n${noise.slice(0, 10).join('\n')}\n`)
verdicts.push({ holds: !noise.some((line) => /^\s+at |warn|error|Warning/.test(line)) })
await closeFixture(fixture, verdicts)
