import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { EngineMissing } from '../fetch/cache.ts'
import type { Suite } from '../suite.ts'
import type { Client, Reply } from './clients.ts'
import type { World } from './world.ts'

const run = promisify(execFile)

/** TLS, HTTP/2, hosts on one connection, compression and HSTS. */
export async function checkHttp(suite: Suite, world: World): Promise<void> {
  const { sandboxes, publicHost, ports, caFile } = world
  const [first, second] = sandboxes
  const buildingsOf = (reply: Reply) => reply.json.data.map(({ id }: { id: string }) => id)

  async function askAllHosts(client: Client): Promise<void> {
    for (const { host, token, buildingId } of sandboxes)
      deepEqual(buildingsOf(await client.send(host, '/api/v1/buildings', { token })), [buildingId])
    equal((await client.send(publicHost, '/healthz')).status, 200)
  }

  for (const [name, open] of [
    ['HTTP/1.1', world.http1],
    ['HTTP/2', world.http2],
  ] as const) {
    await suite.check(`${name}: three hosts on one connection of a client, each with its own answer`, async () => {
      const client = open()
      for (let i = 0; i < 10; i++) await askAllHosts(client)
      client.close()
    })
  }

  await suite.check('connections to Storey are reused for requests of several hosts', async () => {
    const client = world.http2()
    await askAllHosts(client)
    const used = new Set<number>()
    for (let i = 0; i < 20; i++) {
      const { host, token } = sandboxes[i % 2]!
      await client.send(host, '/api/v1/buildings', { token })
      for (const port of clientPortsAt(ports.storey)) used.add(port)
    }
    const before = used.size
    for (let i = 0; i < 60; i++) {
      await askAllHosts(client)
      for (const port of clientPortsAt(ports.storey)) used.add(port)
    }
    client.close()
    // Every two seconds a health check of the proxy opens a connection of its own.
    ok(used.size - before < 20, `${used.size - before} new connections for 180 requests`)
    return `${used.size - before} new connections for 180 requests`
  })

  await suite.check('curl uses HTTP/2', async () => {
    const resolve = `${first.host}:127.0.0.1`
    const form = '%{http_version} %{http_code}'
    const args = ['-sS', '--http2', '--cacert', caFile, '--resolve', resolve, '-o', '/dev/null', '-w', form]
    const { stdout } = await run('curl', [...args, `https://${first.host}/healthz`]).catch((err) => {
      throw err.code === 'ENOENT' ? new EngineMissing('curl is required, but it is not on the PATH') : err
    })
    equal(stdout, '2 200')
  })

  await suite.check('a token of one sandbox is refused at the other, on the same connection', async () => {
    const client = world.http2()
    equal((await client.send(first.host, '/api/v1/buildings', { token: first.token })).status, 200)
    equal((await client.send(second.host, '/api/v1/buildings', { token: first.token })).status, 401)
    equal((await client.send(first.host, '/api/v1/buildings', { token: second.token })).status, 401)
    client.close()
  })

  await suite.check(
    'a host without a sandbox gets 404 from Storey, a foreign host gets 421 from the proxy',
    async () => {
      const client = world.http2()
      const nobody = await client.send(first.host.replace(/^[^.]+/, 'nobody'), '/api/v1/buildings')
      equal(nobody.status, 404)
      equal(nobody.json.code, 'NOT_FOUND')
      equal((await client.send('evil.example', '/')).status, 421)
      client.close()
    },
  )

  await suite.check('http is redirected to https with method and path', async () => {
    const location = await new Promise((resolve, reject) => {
      const headers = { host: first.host.replace(/:\d+/, '') }
      const asked = request({ host: '127.0.0.1', port: ports.http, path: '/a?b=1', method: 'POST', headers })
      asked.on('response', (answer) => resolve(`${answer.statusCode} ${answer.headers.location}`))
      asked.on('error', reject).end()
    })
    equal(location, `308 https://${first.host.replace(/:\d+/, '')}/a?b=1`)
  })

  await suite.check('successful and refused responses have HSTS', async () => {
    const client = world.http2()
    for (const path of ['/healthz', '/api/v1/buildings', '/nowhere', '/'])
      match(`${(await client.send(first.host, path)).headers['strict-transport-security']}`, /^max-age=\d+$/, path)
    client.close()
  })

  await suite.check('a compressed answer has the content of the plain one, and its ETag leads to a 304', async () => {
    const client = world.http2()
    const path = '/api/v1/openapi.json'
    const plain = await client.send(first.host, path)
    equal(plain.headers['content-encoding'], undefined)
    const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
    const served: string[] = []
    for (const [encoding, decode] of Object.entries(decoders)) {
      const packed = await client.send(first.host, path, { headers: { 'accept-encoding': encoding } })
      if (packed.headers['content-encoding'] === undefined) continue
      equal(packed.headers['content-encoding'], encoding)
      match(`${packed.headers.vary}`, /accept-encoding/i)
      ok(decode(packed.body).equals(plain.body), `${encoding} has another content`)
      served.push(encoding)
    }
    ok(served.includes('gzip'))
    const { token } = first
    const graph = await client.send(first.host, `${first.path}/spaces`, {
      token,
      headers: { 'accept-encoding': 'gzip' },
    })
    const tag = `${graph.headers.etag}`
    notEqual(tag, 'undefined')
    const same = await client.send(first.host, `${first.path}/spaces`, { token, headers: { 'if-none-match': tag } })
    equal(same.status, 304)
    client.close()
    return served.join(', ')
  })

  await suite.check('a request line of 9,000 characters reaches Storey', async () => {
    const client = world.http1()
    const asked = await client.send(first.host, `/api/v1/buildings?x=${'x'.repeat(9_000)}`, { token: first.token })
    equal(asked.status, 400)
    equal(asked.json.code, 'VALIDATION_FAILED')
    client.close()
  })
}

/** The ports of the clients that are connected to a port of this machine, from the kernel's table. */
function clientPortsAt(port: number): number[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(`:${hex}`) && state === '01')
    .map(([, , remote]) => Number.parseInt(remote!.split(':')[1]!, 16))
}
