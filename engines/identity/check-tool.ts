import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { newHome, svc } from '../../acceptance/cli/tool.ts'
import { equal } from '../equal.ts'
import type { Suite } from '../suite.ts'
import { DEVELOPER, type Installation } from './installation.ts'
import { visit } from './visit.ts'

const ADDRESS = /https?:\/\/\S+\/(?:device|oauth2\/auth)\S*/

/** The command-line tool: login, renewal, offline access, and the end of the session. */
export async function checkTool(suite: Suite, installation: Installation, browser: Browser): Promise<void> {
  const { provider, system, organizationId } = installation
  const home = newHome()
  const env = { ...home, ...provider.toolSettings, SVC_SANDBOX_API_URL: system.url }
  const file = join(home.XDG_CONFIG_HOME!, 'storey', 'sessions.json')
  const stored = () => JSON.parse(readFileSync(file, 'utf8'))[system.url]
  const expire = () =>
    writeFileSync(file, JSON.stringify({ [system.url]: { ...stored(), expiresAt: 0 } }), { mode: 0o600 })
  const run = (...words: string[]) => svc(words, { env })
  /** Whether the provider refuses a refresh token. */
  const isRefused = async (token: string) => {
    const form = { grant_type: 'refresh_token', client_id: provider.cliClientId, refresh_token: token }
    const answer = await fetch(provider.tokenEndpoint.developers, { method: 'POST', body: new URLSearchParams(form) })
    return answer.status === 400 || answer.status === 401
  }

  async function confirm(address: string): Promise<void> {
    const { page, context } = await visit(browser)
    await provider.confirmTool(page, address, DEVELOPER)
    await context.close()
  }

  /** Runs `svc login`, and confirms it in the browser. */
  async function logIn() {
    let confirmation: Promise<void> | undefined
    const result = await svc(['login', '--no-browser'], {
      env,
      limitMs: 180_000,
      onOutput(text) {
        const address = ADDRESS.exec(text)?.[0]
        if (address !== undefined) confirmation ??= confirm(address)
      },
    })
    await confirmation
    return result
  }

  await suite.check('svc login signs in', async () => {
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

  await suite.check('svc renews its session, and its token is not accepted as a portal session', async () => {
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
    equal(await isRefused(before.refreshToken), true, 'a used refresh token')
  })

  await suite.check('svc login replaces a session that ended because its refresh token was used twice', async () => {
    const { code, stderr } = await logIn()
    equal(code, 0, stderr)
  })

  await suite.check('the offline session outlives the sign-in sessions of the user', async () => {
    await provider.endDeveloperSessions(DEVELOPER.email)
    expire()
    const { code, stderr } = await run('sandbox', 'list')
    equal(code, 0, stderr)
  })

  await suite.check(`svc logout revokes the session at ${provider.name}`, async () => {
    const { refreshToken } = stored()
    const { code, stdout, stderr } = await run('logout', '--format=json')
    equal(code, 0, stderr)
    equal(JSON.parse(stdout), { service: system.url, wasSignedIn: true, revoked: true }, stdout)
    equal(await isRefused(refreshToken), true, 'the revoked refresh token')
    equal((await run('whoami')).code, 1, 'whoami')
  })
}
