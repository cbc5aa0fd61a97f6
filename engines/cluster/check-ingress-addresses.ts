import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Suite } from '../suite.ts'
import { until } from '../until.ts'
import { PUBLIC_HOST } from './ingress-names.ts'
import type { IngressWorld } from './ingress-world.ts'

/** Headers by which a client claims to be somebody else. */
const CLAIMS = { 'x-forwarded-for': '203.0.113.66', forwarded: 'for=203.0.113.77', 'x-real-ip': '203.0.113.88' }
/** Each of the two control planes permits 600 sign-ins, because it counts only those that it receives. */
const MAX_SIGN_INS = 2 * 600
/** After this many refusals in a row, both control planes have refused the client. */
const REFUSALS = 12

const SIGN_IN = `/realms/developers/auth?${new URLSearchParams({
  ...{ client_id: 'svc-portal', redirect_uri: `https://${PUBLIC_HOST}/callback`, response_type: 'code' },
  ...{ scope: 'openid', prompt: 'login', code_challenge_method: 'S256' },
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
})}`

/** Checks that audit rows and limits use the address from which a client connects, and not the one that it claims. */
export async function checkIngressAddresses(suite: Suite, world: IngressWorld): Promise<void> {
  const { cluster, developer, release } = world
  const [first, second] = cluster.addresses.clients as [string, string]

  await suite.check('audit rows have the address of the client, whatever it claims', async () => {
    const clients = [world.http1({ localAddress: first }), world.http2({ localAddress: second, node: 2 })]
    const call = { token: developer.key, headers: CLAIMS }
    for (const client of clients) assert.equal((await client.send(PUBLIC_HOST, '/api/v1/sandboxes', call)).status, 200)
    for (const client of clients) client.close()
    let rows = ''
    await until('both addresses are in the audit log', async () => {
      await sleep(500)
      rows = await release.operator('audit', '--org', developer.organizationId)
      return rows.includes(first) && rows.includes(second)
    })
    assert.doesNotMatch(rows, /203\.0\.113/)
  })
  await suite.check('the limit of sign-ins is per client, and forged headers do not evade it', async () => {
    const client = world.http1({ localAddress: first })
    const other = world.http1({ localAddress: second })
    const [counts, started] = [{ refusals: 0 }, { count: 0 }]
    while (counts.refusals < REFUSALS && started.count <= MAX_SIGN_INS) {
      const { status } = await client.send(PUBLIC_HOST, SIGN_IN)
      if (status < 400) started.count++
      counts.refusals = status === 429 ? counts.refusals + 1 : 0
    }
    assert.ok(started.count <= MAX_SIGN_INS, `${started.count} sign-ins`)
    for (let i = 0; i < 6; i++) {
      const headers = { 'x-forwarded-for': `203.0.113.${i}`, forwarded: `for=198.51.100.${i}` }
      assert.equal((await client.send(PUBLIC_HOST, SIGN_IN, { headers })).status, 429)
    }
    assert.ok((await other.send(PUBLIC_HOST, SIGN_IN)).status < 400)
    client.close()
    other.close()
    return `429 after ${started.count} sign-ins`
  })
}
