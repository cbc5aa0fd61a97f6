import assert from 'node:assert/strict'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Suite } from '../suite.ts'
import { until } from '../until.ts'
import { PUBLIC_HOST } from './ingress-names.ts'
import type { IngressSandbox, IngressWorld } from './ingress-world.ts'

const LIMIT_MS = 60_000
/** Longer than the idle timeouts of 60 seconds that most proxies have. */
const IDLE_MS = 75_000

/**
 * Checks REST and the live channel through the ingress. Returns the check that needs an idle time before it, so that
 * the caller can run other checks during that time.
 */
export async function checkIngressUse(
  suite: Suite,
  world: IngressWorld,
  { id, connection, host, path, pointId }: IngressSandbox,
): Promise<() => Promise<void>> {
  const { cluster, actors, developer } = world
  const { token } = connection

  for (const [version, open] of [
    ['HTTP/1.1', world.http1],
    ['HTTP/2', world.http2],
  ] as const) {
    await suite.check(`${version}: the API, a sandbox and its pages on one connection, at every node`, async () => {
      for (const { machine } of cluster.nodes) {
        const client = open({ node: machine.index })
        const list = await client.send(PUBLIC_HOST, '/api/v1/sandboxes', { token: developer.key })
        assert.deepEqual([list.status, list.json?.data[0].sandboxId], [200, id])
        const points = await client.send(host, `${path}/points?limit=1`, { token })
        assert.deepEqual([points.status, points.json?.data[0].id], [200, pointId])
        assert.equal((await client.send(host, '/')).status, 200)
        assert.equal((await client.send(PUBLIC_HOST, '/')).status, 200)
        client.close()
      }
    })
  }
  await suite.check('a host without a sandbox gets 404 of Storey, a foreign host no answer of Storey', async () => {
    const client = world.http1()
    const nobody = await client.send(host.replace(/^[^.]+/, 'nobody'), '/api/v1/buildings')
    assert.deepEqual([nobody.status, nobody.json?.code], [404, 'NOT_FOUND'])
    const foreign = await client.send('evil.example', '/healthz').catch((err) => ({ status: 0, err, json: undefined }))
    assert.notEqual(foreign.status, 200)
    assert.equal(foreign.json, undefined)
    client.close()
  })
  await suite.check('http is redirected to https', async () => {
    const location = await new Promise((resolve, reject) => {
      const headers = { host: PUBLIC_HOST }
      const asked = request({ host: cluster.addresses.node(1), port: 80, path: '/a?b=1', headers, agent: false })
      asked.on('response', (answer) => {
        answer.resume()
        resolve(answer.headers.location)
      })
      asked.on('error', reject).end()
    })
    assert.equal(location, `https://${PUBLIC_HOST}/a?b=1`)
  })
  await suite.check('through the ingress a token is issued, and the stack fetches the keys of the realm', async () => {
    const accounts = `/api/v1/sandboxes/${id}/service-accounts`
    const { json: account } = await actors.api(developer.key, accounts, { body: { name: 'Reader', roles: ['user'] } })
    const { json: realm } = await world.call(`${world.url}/realms/sandboxes/.well-known/openid-configuration`)
    const issued = await world.call(realm.token_endpoint, {
      headers: {
        authorization: `Basic ${Buffer.from(`${account.clientId}:${account.clientSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    })
    assert.equal(issued.status, 200, issued.text)
    const url = `${connection.apiUrl}/api/v1/buildings`
    const { status, text } = await world.call(url, { token: issued.json.access_token })
    assert.equal(status, 200, text)
    assert.equal((await actors.api(developer.key, `${accounts}/${account.id}`, { method: 'DELETE' })).status, 204)
  })

  const sent: string[] = []
  const clients = (['websocket', 'polling'] as const).map((transport) =>
    world.live({ ...connection, transport, stored: () => [] }),
  )
  async function deliver(): Promise<void> {
    const value = `${1_000 + Math.round(Math.random() * 1e6)}`
    sent.push(value)
    const body = { observations: [{ pointId, value }] }
    const stored = await world.call(`${connection.apiUrl}${path}/telemetry/observations`, { token, body })
    assert.equal(stored.status, 202, stored.text)
    const isSeen = () => clients.every(({ seen }) => sent.every((each) => seen.has(each)))
    await until('every live client has the value', isSeen, LIMIT_MS)
  }
  await suite.check('the live channel delivers a value over a WebSocket and over long polls', async () => {
    await until('both are connected', () => clients.every(({ isJoined }) => isJoined()), LIMIT_MS)
    await deliver()
  })
  const from = performance.now()

  return async () => {
    await suite.check('the WebSocket and the long polls stay open without events, and deliver again', async () => {
      await sleep(Math.max(0, IDLE_MS - (performance.now() - from)))
      assert.deepEqual(
        clients.map(({ counts }) => counts.connects),
        [1, 1],
      )
      await deliver()
      return `after ${Math.round((performance.now() - from) / 1000)} s`
    })
    for (const client of clients) client.close()
  }
}
