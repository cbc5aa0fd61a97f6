import { equal, match } from 'node:assert/strict'
import { request } from 'node:https'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { call as callDirectly } from '../../acceptance/system/call.ts'
import type { Suite } from '../suite.ts'
import type { Call, Client } from './clients.ts'
import type { World } from './world.ts'

const MEGABYTE = 1024 * 1024
const MAX_BODY = 10 * MEGABYTE
const REPEATS = 4

/** Bodies: large, compressed, refused early, and with `Expect: 100-continue`. */
export async function checkBodies(suite: Suite, world: World): Promise<void> {
  const { sandboxes, ports, ca } = world
  const { host, path, token, points, directUrl } = sandboxes[0]
  const ingest = `${path}/telemetry/observations`
  const versions = [
    ['HTTP/1.1', world.http1],
    ['HTTP/2', world.http2],
  ] as const

  const observations = (value: number, atMs: number) =>
    JSON.stringify({
      observations: [{ pointId: points[0], value: `${value}`, timestamp: new Date(atMs).toISOString() }],
    })
  const padded = (text: string, bytes: number) => text + ' '.repeat(bytes - text.length)
  async function isStored(atMs: number, value: number): Promise<void> {
    const range = `from=${new Date(atMs).toISOString()}&to=${new Date(atMs + 1).toISOString()}`
    const { json } = await callDirectly(`${directUrl}/telemetry/observations?pointId=${points[0]}&${range}`, { token })
    equal(json.data[0]?.value, `${value}`)
  }
  /** A connection whose body was not read may be closed after the response, so each call opens a new connection. */
  async function refused(open: () => Client, call: Call, status: number, code: string): Promise<void> {
    const client = open()
    const reply = await client.send(host, ingest, call)
    client.close()
    equal(reply.status, status, reply.body.toString().slice(0, 500))
    match(`${reply.headers['content-type']}`, /problem\+json/)
    equal(reply.json.code, code)
  }
  let hoursAgo = 20
  const nextTime = () => Date.now() - hoursAgo-- * 600_000

  for (const [version, open] of versions) {
    await suite.check(
      `${version}: a body of exactly 10 MB is stored, and one byte more gets 413 from Storey`,
      async () => {
        const client = open()
        const at = nextTime()
        equal((await client.send(host, ingest, { token, body: padded(observations(7, at), MAX_BODY) })).status, 202)
        await isStored(at, 7)
        client.close()
        for (let i = 0; i < REPEATS; i++)
          await refused(open, { token, body: padded(observations(8, at), MAX_BODY + 1) }, 413, 'BODY_TOO_LARGE')
        await isStored(at, 7)
      },
    )

    await suite.check(
      `${version}: large bodies that Storey refuses early get the response of Storey, and not one of the proxy`,
      async () => {
        const step = { 'content-type': 'application/x-step' }
        const model = Buffer.alloc(40 * MEGABYTE, 'x')
        const cases: [string, Parameters<Client['send']>[2], number, string][] = [
          [`${path}/import/ifc`, { token: 'x', body: model, headers: step }, 401, 'UNAUTHENTICATED'],
          [`${path}/import/ifc`, { body: model, headers: step }, 401, 'UNAUTHENTICATED'],
          [`${path}/import/ifc`, { token, body: model, headers: { 'content-type': 'text/plain' } }, 415, ''],
          [`${path}/import/ifc?replace=x`, { token, body: model, headers: step }, 400, 'VALIDATION_FAILED'],
          [`${path}/spaces`, { token, body: model }, 413, 'BODY_TOO_LARGE'],
          ['/api/v1/nowhere', { token, body: model }, 404, 'NOT_FOUND'],
        ]
        const failed = new Map<string, number>()
        for (let i = 0; i < REPEATS; i++) {
          for (const [target, call, status, code] of cases) {
            const client = open()
            const what = await client.send(host, target, call).then(
              (reply) => (reply.status === status && `${reply.json?.code}`.startsWith(code) ? '' : `${reply.status}`),
              (err) => `${err.code ?? err.message}`,
            )
            if (what !== '') failed.set(`${status} was ${what}`, (failed.get(`${status} was ${what}`) ?? 0) + 1)
            client.close()
          }
        }
        equal([...failed].map(([what, count]) => `${count} × ${what}`).join(', '), '')
        return `${REPEATS * cases.length} bodies of 40 MB`
      },
    )

    await suite.check(`${version}: compressed bodies are stored`, async () => {
      const client = open()
      for (const [encoding, pack] of Object.entries({ gzip: gzipSync, zstd: zstdCompressSync })) {
        const at = nextTime()
        const body = pack(Buffer.from(padded(observations(9, at), MEGABYTE)))
        const headers = { 'content-encoding': encoding }
        equal((await client.send(host, ingest, { token, body, headers })).status, 202)
        await isStored(at, 9)
      }
      client.close()
    })
  }

  await suite.check('a body is forwarded while it is sent: the refusal arrives before its end', async () => {
    const status = await new Promise((resolve, reject) => {
      const [servername] = host.split(':')
      const headers = { host, 'content-type': 'application/json', 'content-length': `${MEGABYTE}` }
      const asked = request({
        host: '127.0.0.1',
        port: ports.https,
        servername,
        ca,
        path: ingest,
        method: 'POST',
        headers,
      })
      asked.setTimeout(20_000, () => asked.destroy(new Error('no response before the end of the body')))
      // Caddy sends the response only when the client has sent more.
      const sending = setInterval(() => asked.write(' '.repeat(1_000)), 100)
      asked.on('response', (answer) => {
        resolve(answer.statusCode)
        asked.destroy()
      })
      asked.on('error', reject)
      asked.on('close', () => clearInterval(sending))
    })
    equal(status, 401)
  })

  await suite.check('Expect: 100-continue is answered, and a refusal gets its status', async () => {
    const client = world.http1()
    const headers = { expect: '100-continue' }
    const at = nextTime()
    equal(
      (await client.send(host, ingest, { token, body: padded(observations(5, at), MEGABYTE), headers })).status,
      202,
    )
    await isStored(at, 5)
    client.close()
    for (let i = 0; i < REPEATS; i++) {
      const body = padded(observations(5, at), MAX_BODY)
      await refused(world.http1, { token: 'x', body, headers }, 401, 'UNAUTHENTICATED')
      await refused(world.http1, { token, body: `${body} `, headers }, 413, 'BODY_TOO_LARGE')
    }
  })
}
