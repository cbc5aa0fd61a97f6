import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Developer, newDeveloper, systemUrl } from '../system/shared.ts'
import { approve, LINK } from './approve.ts'
import { type Ended, newHome, svc, svcOnTerminal } from './tool.ts'

const home = newHome()
const env: Record<string, string> = { ...home, SVC_SANDBOX_API_URL: systemUrl }
const file = join(home.XDG_CONFIG_HOME!, 'storey', 'sessions.json')

/** Everything that the tool has printed. */
let printed = ''
/** The arguments of the tool, and the arguments and the environment of the browser that it opened. */
let argumentsSeen = ''
const secrets = new Set<string>()

let developer: Developer
let login: Ended

async function run(words: readonly string[], more: Record<string, string> = {}): Promise<Ended> {
  const ended = await svc(words, { env: { ...env, ...more } })
  printed += ended.stdout + ended.stderr
  noteSecrets()
  return ended
}

const stored = () => JSON.parse(readFileSync(file, 'utf8'))[systemUrl]
function change(fields: object): void {
  writeFileSync(file, JSON.stringify({ [systemUrl]: { ...stored(), ...fields } }), { mode: 0o600 })
}
function noteSecrets(): void {
  if (!existsSync(file)) return
  for (const token of [stored().accessToken, stored().refreshToken]) secrets.add(token)
}

beforeAll(async () => {
  developer = await newDeveloper()
  // A fake browser that records its arguments.
  mkdirSync(join(home.HOME!, 'bin'))
  const noted = join(home.HOME!, 'opened')
  const fake = `#!/bin/sh\ntr '\\0' ' ' < /proc/$$/cmdline >> '${noted}'\nenv >> '${noted}'\n`
  writeFileSync(join(home.HOME!, 'bin', 'xdg-open'), fake, { mode: 0o755 })
  let isApproved = false
  login = await svcOnTerminal(['login'], {
    env: {
      ...env,
      PATH: `${join(home.HOME!, 'bin')}:${env.PATH}`,
      DISPLAY: ':9',
      SVC_API_TOKEN: 'svc_not-for-browsers',
    },
    onOutput(text, { pid }) {
      const link = LINK.exec(text)?.[0]
      if (link === undefined || isApproved) return
      isApproved = true
      argumentsSeen += readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      approve(link, developer, true)
    },
  })
  printed += login.stdout
  argumentsSeen += readFileSync(noted, 'utf8')
  noteSecrets()
})

describe('a session of svc', () => {
  it('[CLI-04] starts in the browser, with the code shown and the address opened', () => {
    expect(login.code, login.stdout).toBe(0)
    expect(login.stdout).toMatch(/[A-Z]{4}-[A-Z]{4}/)
    expect(login.stdout).toContain(`Signed in to ${systemUrl} as ${developer.email}.`)
    expect(login.stdout).toContain('SVC_API_TOKEN is set and takes precedence over this session')
    const link = LINK.exec(login.stdout)![0]
    expect(argumentsSeen).toContain(link)
    expect(argumentsSeen).not.toContain('svc_not-for-browsers')
  })

  it('[CLI-08, CLI-52] is stored in a file that only its owner can read', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700)
  })

  it('[CLI-06] is shown by whoami, which asks the realm', async () => {
    const { code, stdout, stderr } = await run(['whoami', '--format=json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ email: developer.email, service: systemUrl })
    expect((await run(['whoami'])).stdout).toContain(developer.email)
  })

  it('[CLI-02] is used only if neither --token nor SVC_API_TOKEN is given', async () => {
    expect((await run(['sandbox', 'list'])).code).toBe(0)
    expect((await run(['sandbox', 'list'], { SVC_API_TOKEN: 'svc_wrong' })).code).toBe(1)
    expect((await run(['sandbox', 'list', '--token', developer.key], { SVC_API_TOKEN: 'svc_wrong' })).code).toBe(0)
    expect((await run(['whoami'], { SVC_API_TOKEN: developer.key })).stdout).toContain('An API key from SVC_API_TOKEN')
  })

  it('[CLI-03] is refreshed without asking the user, even by two svc processes at the same time', async () => {
    const before = stored()
    change({ expiresAt: 0 })
    const both = await Promise.all([run(['sandbox', 'list']), run(['whoami'])])
    expect(both.map(({ code, stderr }) => ({ code, stderr }))).toEqual([0, 0].map((code) => ({ code, stderr: '' })))
    expect(stored().refreshToken).not.toBe(before.refreshToken)
    expect(stored().expiresAt).toBeGreaterThan(0)
    // A token that the service refuses is renewed too, even if it has not expired.
    change({ accessToken: before.accessToken.replace(/.{8}$/, 'AAAAAAAA') })
    expect((await run(['sandbox', 'list'])).code).toBe(0)
  })

  it('[CLI-05] ends with logout: the realm revokes it, and the store is empty', async () => {
    const { refreshToken, issuer } = stored()
    const ended = await run(['logout', '--format=json'])
    expect(JSON.parse(ended.stdout)).toEqual({ service: systemUrl, wasSignedIn: true, revoked: true })
    expect(existsSync(file)).toBe(false)
    const body = new URLSearchParams({ client_id: 'svc-cli', grant_type: 'refresh_token', refresh_token: refreshToken })
    const answer = await fetch(`${issuer}/token`, { method: 'POST', body })
    expect(answer.status).toBe(400)
    expect(await run(['sandbox', 'list'])).toMatchObject({ code: 1, stderr: expect.stringContaining('svc login') })
    expect(await run(['logout'])).toMatchObject({ code: 0, stdout: `You were not signed in to ${systemUrl}.\n` })
  })

  it('[CLI-05] is removed by logout even when the realm is unreachable', async () => {
    const session = { issuer: 'http://127.0.0.1:1', accessToken: 'a.b.c', expiresAt: 0, refreshToken: 'secret-refresh' }
    writeFileSync(file, JSON.stringify({ [systemUrl]: session }), { mode: 0o600 })
    secrets.add('secret-refresh')
    const { code, stdout, stderr } = await run(['logout'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Signed out of ${systemUrl}.\n` })
    expect(stderr).toContain('The realm did not revoke the session')
    expect(existsSync(file)).toBe(false)
  })

  it('[CLI-07] puts its tokens into no output and no argument', () => {
    expect(secrets.size).toBeGreaterThan(4)
    for (const secret of secrets) {
      expect(printed.includes(secret)).toBe(false)
      expect(argumentsSeen.includes(secret)).toBe(false)
    }
    expect(printed).not.toMatch(/eyJ[\w-]+\./)
    expect(printed).not.toContain(developer.key)
  })
})
