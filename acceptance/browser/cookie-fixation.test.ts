import { readFileSync } from 'node:fs'
import type { Server } from 'node:https'
import { join } from 'node:path'
import type { Browser as Chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Browser } from '../../packages/identity/src/testing/browser.ts'
import { selfSigned } from '../../packages/kit/src/outbound/testing/certificate.ts'
import { launchBrowser } from '../../scripts/browser/launch-browser.ts'
import { actorsAt, startInstalled } from '../system/shared.ts'
import { freePort, type System } from '../system/system.ts'
import { startTlsProxy } from '../system/tls-proxy.ts'

const DOMAIN = 'storey.test'
const OWN_PASSWORD = 'a password of my own'

/** Sandboxes are subdomains of the portal's host here. At one of them the proxy serves an attacker's page. */
describe('a page on the host of a sandbox', () => {
  let system: System
  let proxy: Server
  let browser: Chromium
  let portal: string
  let planted: { name: string; value: string }[]
  beforeAll(async () => {
    const [tlsPort, port] = [await freePort(), await freePort()]
    portal = `https://${DOMAIN}:${tlsPort}`
    system = await startInstalled({
      port,
      env: { PUBLIC_URL: portal, BASE_DOMAIN: DOMAIN, TRUSTED_PROXIES: '127.0.0.1' },
    })
    const certificate = selfSigned({ names: [DOMAIN, `*.${DOMAIN}`] })
    proxy = await startTlsProxy(tlsPort, port, certificate, ({ headers }, response) => {
      if (!headers.host?.startsWith(`evil.${DOMAIN}`)) return false
      response.writeHead(200, { 'content-type': 'text/html' }).end(evilPage())
      return true
    })
    browser = await launchBrowser([
      '--ignore-certificate-errors',
      `--host-resolver-rules=MAP ${DOMAIN} 127.0.0.1, MAP *.${DOMAIN} 127.0.0.1`,
    ])
    planted = await attackersSession()
  })
  afterAll(async () => {
    await browser?.close()
    await system?.remove()
    await new Promise((resolve) => proxy?.close(resolve))
  })

  const signInLink = () =>
    `${portal}/realms/developers/auth?${new URLSearchParams({
      client_id: 'svc-portal',
      redirect_uri: `${portal}/callback`,
      response_type: 'code',
      scope: 'openid email',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    })}`

  /** The session cookies of an attacker, who wants others to work in the attacker's account. */
  async function attackersSession() {
    const { email, oneTimePassword } = await actorsAt(system).newDeveloper()
    const own = new Browser(portal)
    own.via.set(portal, `http://127.0.0.1:${new URL(system.url).port}`)
    const choose = await own.submit(await own.open(signInLink()), { email, password: oneTimePassword! })
    const end = await own.submit(choose, { password: OWN_PASSWORD, repeated: OWN_PASSWORD })
    expect(end.url.searchParams.has('code')).toBe(true)
    return own.cookies().map(({ name, value }) => ({ name, value }))
  }

  const evilPage = () => `<h1>Nothing to see</h1><script>
    for (const { name, value } of ${JSON.stringify(planted)}) {
      const plain = name.replace('__Host-', '')
      for (const path of ['/', '/realms/developers', '/realms/developers/auth']) {
        document.cookie = plain + '=' + value + '; domain=${DOMAIN}; secure; path=' + path
        document.cookie = name + '=' + value + '; domain=${DOMAIN}; secure; path=' + path
      }
    }
  </script>`

  it('[IDN-29] cannot choose the session that somebody signs in to', async () => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    const page = await context.newPage()
    await page.goto(`https://evil.${DOMAIN}:${new URL(portal).port}/`)
    const names = (await context.cookies()).map(({ name }) => name)
    expect(names).toContain('storey_developers')
    expect(names.filter((name) => name.startsWith('__Host-'))).toEqual([])

    await page.goto(signInLink())
    expect(await page.locator('h1').textContent()).toContain('Sign in')
    await page.fill('#email', 'developer@example.com')
    await page.fill('#password', readFileSync(join(system.dataDir, 'demo-password'), 'utf8').trim())
    await Promise.all([page.waitForURL(/callback/), page.click('button:has-text("Sign in")')])
    const session = (await context.cookies()).find(({ name }) => name === '__Host-storey_developers')
    expect(session).toMatchObject({ domain: DOMAIN, path: '/', secure: true, httpOnly: true })
    expect(session?.value).not.toBe(planted.find(({ name }) => name === '__Host-storey_developers')?.value)

    // Cookies that the attacker's page sets after the sign-in are ignored too.
    await page.goto(`https://evil.${DOMAIN}:${new URL(portal).port}/`)
    const after = (await context.cookies()).find(({ name }) => name === '__Host-storey_developers')
    expect(after?.value).toBe(session?.value)
    await context.close()
  })
})
