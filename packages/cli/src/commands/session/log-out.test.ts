import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { scriptedService } from '../../testing/scripted-service.ts'
import { newHome, runTool } from '../../testing/test-context.ts'

const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
afterEach(() => {
  if (isRoot) process.seteuid!(0)
})

/** Creates a session at a realm that records the requests that it receives. */
async function signedIn() {
  const { url, received } = await scriptedService(({ path }) =>
    path.endsWith('/openid-configuration')
      ? { json: { issuer: url, token_endpoint: `${url}/token`, revocation_endpoint: `${url}/revoke` } }
      : { json: {} },
  )
  const home = newHome()
  const env = { ...home, SVC_SANDBOX_API_URL: url }
  const folder = join(home.XDG_CONFIG_HOME!, 'storey')
  mkdirSync(folder)
  const file = join(folder, 'sessions.json')
  const session = { issuer: url, accessToken: 'a', expiresAt: 1, refreshToken: 'spent' }
  writeFileSync(file, JSON.stringify({ [url]: session }), { mode: 0o600 })
  return { env, folder, file, revoked: () => received.filter(({ path }) => path === '/revoke').map(({ body }) => body) }
}

/** Loads all code of `logout`, because the test then switches to a user who may not be able to read the sources. */
async function loadLogoutCode(): Promise<void> {
  await runTool(['logout'], { env: (await signedIn()).env })
  const { env, file } = await signedIn()
  rmSync(file)
  mkdirSync(file)
  await runTool(['logout'], { env })
}

describe('logout', () => {
  it('revokes the session at the realm even if the store cannot be cleared', async () => {
    await loadLogoutCode()
    const { env, folder, file, revoked } = await signedIn()
    chmodSync(folder, 0o500)
    if (isRoot) {
      for (const path of [dirname(folder), folder, file]) chownSync(path, NOBODY, NOBODY)
      process.seteuid!(NOBODY)
    }
    const { code, stdout, stderr } = await runTool(['logout'], { env })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('has ended, but could not be removed from the store')
    expect(stderr).toMatch(
      new RegExp(`The configuration file or folder ${folder}.*permission denied.*\\n.*XDG_CONFIG_HOME`),
    )
    expect(revoked()).toEqual([expect.stringContaining('token=spent')])
  })

  it('removes a damaged store, and reports it', async () => {
    const { env, folder, file } = await signedIn()
    writeFileSync(file, '{"half')
    expect(await runTool(['whoami'], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is damaged.'),
    })
    const { code, stderr } = await runTool(['logout'], { env })
    expect(code).toBe(0)
    expect(stderr).toContain(`${file} was damaged and has been removed`)
    expect(readdirSync(folder)).toEqual([])
  })
})
