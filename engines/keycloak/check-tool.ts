import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { newHome, svc } from '../../acceptance/cli/tool.ts'
import type { Suite } from '../suite.ts'
import { signInAtKeycloak, visit } from './browser.ts'
import { equal } from './equal.ts'
import { DEVELOPER, type Installation, OWN_PASSWORD } from './installation.ts'

const LINK = /https?:\/\/\S+\/device\S*/

/** The command-line tool: the device grant, renewal, offline access, and the end of the session. */
export async function checkTool(suite: Suite, installation: Installation, browser: Browser): Promise<void> {
  const { keycloak, operator, system, organizationId } = installation
  const home = newHome()
  const env = { ...home, SVC_SANDBOX_API_URL: system.url }
  const file = join(home.XDG_CONFIG_HOME!, 'storey', 'sessions.json')
  const stored = () => JSON.parse(readFileSync(file, 'utf8'))[system.url]
  const expire = () =>
    writeFileSync(file, JSON.stringify({ [system.url]: { ...stored(), expiresAt: 0 } }), { mode: 0o600 })
  const run = (...words: string[]) => svc(words, { env })
  const refresh = (token: string) =>
    fetch(`${keycloak.issuers.developers}/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'svc-cli', refresh_token: token }),
    })

  async function approve(link: string): Promise<void> {
    const { page, context } = await visit(browser)
    await page.goto(link)
    await signInAtKeycloak(page, { ...DEVELOPER, password: OWN_PASSWORD })
    await page.locator('#kc-login, [name=accept]').first().click()
    await page
      .getByText(/device login successful/i)
      .first()
      .waitFor()
    await context.close()
  }

  /** Runs `svc login`, and confirms its code in the browser. */
  async function logIn() {
    let approval: Promise<void> | undefined
    const result = await svc(['login', '--no-browser'], {
      env,
      limitMs: 180_000,
      onOutput(text) {
        const link = LINK.exec(text)?.[0]
        if (link !== undefined) approval ??= approve(link)
      },
    })
    await approval
    return result
  }

  await suite.check('svc login signs in with the device grant', async () => {
    const { code, stdout, stderr } = await logIn()
    equal(code, 0, stdout + stderr)
    equal(stdout.includes(DEVELOPER.email), true, stdout)
  })

  await suite.check('svc whoami names the user and the organization', async () => {
    const { code, stdout, stderr } = await run('whoami', '--format=json')
    equal(code, 0, stderr)
    const { email, org_id } = JSON.parse(stdout)
    equal({ email, org_id }, { email: DEVELOPER.email, org_id: organizationId }, stdout)
  })

  await suite.check('svc renews its session, and its token is no portal session', async () => {
    const before = stored()
    expire()
    const { code, stderr } = await run('sandbox', 'list')
    equal(code, 0, stderr)
    equal(stored().refreshToken === before.refreshToken, false, 'the refresh token is unchanged')
    const answer = await fetch(`${system.url}/api/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stored().accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ label: 'x' }),
    })
    equal(answer.status, 403, 'status')
    equal((await refresh(before.refreshToken)).status, 400, 'a used refresh token')
  })

  await suite.check('svc login again replaces the session that the used token ended', async () => {
    const { code, stderr } = await logIn()
    equal(code, 0, stderr)
  })

  await suite.check('the offline session outlives the sign-in sessions of the user', async () => {
    const [{ id }] = await operator.call('GET', `developers/users?username=${encodeURIComponent(DEVELOPER.email)}`)
    await operator.call('POST', `developers/users/${id}/logout`)
    expire()
    const { code, stderr } = await run('sandbox', 'list')
    equal(code, 0, stderr)
  })

  await suite.check('svc logout revokes the session at Keycloak', async () => {
    const { refreshToken } = stored()
    const { code, stdout, stderr } = await run('logout', '--format=json')
    equal(code, 0, stderr)
    equal(JSON.parse(stdout), { service: system.url, wasSignedIn: true, revoked: true }, stdout)
    equal((await refresh(refreshToken)).status, 400, 'the revoked refresh token')
    equal((await run('whoami')).code, 1, 'whoami')
  })
}
