import { doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { createServer } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Browser } from '../../packages/identity/src/testing/browser.ts'
import type { Suite } from '../suite.ts'
import type { World } from './world.ts'

/** Headers by which a client claims to be somebody else. */
const CLAIMS = { 'x-forwarded-for': '203.0.113.66', forwarded: 'for=203.0.113.77', 'x-real-ip': '203.0.113.88' }
const SIGN_INS_PER_MINUTE = 600
const FREE_ATTEMPTS = 5

/**
 * Checks that audit rows, limits and sign-in delays use the client's address. Each client has an address of loopback.
 */
export async function checkAddresses(suite: Suite, world: World): Promise<void> {
  const { publicHost, developer, actors } = world

  await suite.check('audit rows have the address of the client, whatever it claims', async () => {
    const first = world.http1('127.0.0.21')
    const second = world.http2('127.0.0.22')
    const call = { token: developer.key, headers: CLAIMS }
    equal((await first.send(publicHost, '/api/v1/sandboxes', call)).status, 200)
    equal((await second.send(publicHost, '/api/v1/sandboxes', call)).status, 200)
    equal((await second.send(publicHost, '/api/v1/sandboxes', { ...call, token: `${developer.key}x` })).status, 401)
    first.close()
    second.close()
    let rows = ''
    for (let i = 0; i < 20 && !/127\.0\.0\.21[\s\S]*127\.0\.0\.22|127\.0\.0\.22[\s\S]*127\.0\.0\.21/.test(rows); i++) {
      await sleep(1_000)
      rows = await actors.operator('audit', '--org', developer.organizationId)
    }
    match(rows, /127\.0\.0\.21/)
    match(rows, /127\.0\.0\.22/)
    doesNotMatch(`${rows}${await actors.operator('audit')}`, /203\.0\.113/)
  })

  const signInPath = `/realms/developers/auth?${new URLSearchParams({
    client_id: 'svc-portal',
    redirect_uri: `https://${publicHost}/callback`,
    response_type: 'code',
    scope: 'openid',
    prompt: 'login',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })}`

  await suite.check('the rate limit of sign-ins is per client, and forged headers do not evade it', async () => {
    const client = world.http1('127.0.0.31')
    const other = world.http1('127.0.0.32')
    let started = 0
    while ((await client.send(publicHost, signInPath)).status < 400) started++
    ok(started <= SIGN_INS_PER_MINUTE, `${started} sign-ins`)
    for (let i = 0; i < 5; i++) {
      const headers = { 'x-forwarded-for': `203.0.113.${i}`, forwarded: `for=198.51.100.${i}` }
      equal((await client.send(publicHost, signInPath, { headers })).status, 429)
    }
    ok((await other.send(publicHost, signInPath)).status < 400)
    client.close()
    other.close()
    return `429 after ${started} sign-ins`
  })

  await suite.check('wrong passwords delay the client that sent them, and not others behind the proxy', async () => {
    const guesser = await bridgeFrom(world, '127.0.0.41')
    const owner = await bridgeFrom(world, '127.0.0.42')
    const signIn = async (via: string, password: string) => {
      const browser = new Browser(`https://${publicHost}`)
      browser.via.set(`https://${publicHost}`, via)
      const page = await browser.open(`https://${publicHost}${signInPath}`)
      return await browser.submit(page, { email: developer.email, password })
    }
    for (let i = 0; i < FREE_ATTEMPTS + 3; i++) await signIn(guesser.url, 'wrong password')
    equal((await signIn(guesser.url, developer.oneTimePassword!)).status, 429)
    const page = await signIn(owner.url, developer.oneTimePassword!)
    equal(page.status, 200)
    equal(page.error, undefined)
    guesser.close()
    owner.close()
  })
}

/** An HTTP server that forwards its requests through the proxy, from `localAddress` and with forged headers. */
async function bridgeFrom({ ports, ca, publicHost }: World, localAddress: string) {
  const server = createServer((incoming, outgoing) => {
    const { connection: _, ...headers } = incoming.headers
    const upstream = request(
      {
        host: '127.0.0.1',
        port: ports.https,
        servername: 'localhost',
        ca,
        localAddress,
        method: incoming.method,
        path: incoming.url,
        headers: {
          ...headers,
          ...CLAIMS,
          host: publicHost,
          'x-forwarded-for': `203.0.113.${Math.ceil(Math.random() * 200)}`,
        },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(outgoing)
      },
    )
    upstream.on('error', () => outgoing.destroy())
    incoming.pipe(upstream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}
