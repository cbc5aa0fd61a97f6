import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { problem, sandboxRecord, scriptedService } from '../testing/scripted-service.ts'
import { newHome, runTool } from '../testing/test-context.ts'

const ROWS = [
  sandboxRecord({ sandboxId: 'sbx_a', name: 'Mall', slug: 'mall-aaaaa', status: 'ready' }),
  sandboxRecord({ sandboxId: 'sbx_b', name: 'Twin', slug: 'twin-bbbbb', status: 'ready' }),
  sandboxRecord({ sandboxId: 'sbx_c', name: 'Twin', slug: 'twin-ccccc', status: 'ready' }),
  sandboxRecord({ sandboxId: 'sbx_d', name: 'North mall', slug: 'north-ddddd', status: 'ready' }),
]
const tokenOf = (sandboxId: string) =>
  `e30.${Buffer.from(JSON.stringify({ aud: sandboxId })).toString('base64url')}.c2ln`

async function service() {
  const scripted = await scriptedService(({ path, method }) => {
    const [, id, rest = ''] = /^\/api\/v1\/sandboxes\/(\w+)(\/\w+)?$/.exec(path) ?? []
    if (id === undefined) return { json: { data: ROWS, total: ROWS.length, limit: 200, offset: 0 } }
    const row = ROWS.find(({ sandboxId }) => sandboxId === id)
    if (row === undefined) return problem(404, 'NOT_FOUND', 'No such sandbox')
    if (method === 'DELETE') return { status: 204 }
    if (method === 'POST') return { json: row }
    if (rest === '/connection') {
      const apiUrl = 'http://mall-aaaaa.localhost:4000'
      const ids = { organizationId: 'org_1', siteId: 's-1', buildingId: 'b-1' }
      return { json: { apiUrl, consoleUrl: null, token: tokenOf(id), ...ids, mqtt: null } }
    }
    return { json: row }
  })
  const env: Record<string, string> = { ...newHome(), SVC_API_TOKEN: 'svc_key', SVC_SANDBOX_API_URL: scripted.url }
  return { ...scripted, env }
}

describe('a reference to a sandbox', () => {
  it('[CLI-38] can be its id, its slug, or its name in upper or lower case', async () => {
    const { env, received } = await service()
    for (const name of ['sbx_a', 'mall-aaaaa', 'Mall', 'mall']) {
      const { code, stdout } = await runTool(['sandbox', 'delete', name, '--yes', '--format=json'], { env })
      expect({ name, code, stdout: JSON.parse(stdout) }).toEqual({
        ...{ name, code: 0 },
        stdout: { sandboxId: 'sbx_a', deleted: true },
      })
    }
    const before = received.length
    await runTool(['sandbox', 'delete', 'sbx_a', '--yes'], { env })
    // An id needs no lookup.
    expect(received.length - before).toBe(1)
  })

  it('[CLI-38] is refused when it is ambiguous or unknown, and nothing changes', async () => {
    const { env, received } = await service()
    const two = await runTool(['sandbox', 'delete', 'Twin', '--yes'], { env })
    expect(two.code).toBe(1)
    expect(two.stderr).toMatch(/2 sandboxes are called "Twin"\.\n.*sbx_b \(twin-bbbbb\), sbx_c \(twin-ccccc\)/)
    const none = await runTool(['sandbox', 'delete', '../keys', '--yes'], { env })
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('"../keys"') })
    expect(received.filter(({ method }) => method !== 'GET')).toEqual([])
  })
})

describe('svc sandbox connect', () => {
  it.each([
    ['sh', `eval "$(svc sandbox connect 'North mall')"`],
    ['fish', "svc sandbox connect 'North mall' --shell=fish | source"],
    ['powershell', "svc sandbox connect 'North mall' --shell=powershell | Out-String | Invoke-Expression"],
  ])('shows on a terminal how %s sets the variables', async (shell, command) => {
    const { env } = await service()
    const words = ['sandbox', 'connect', 'North mall', '--shell', shell]
    const { stderr } = await runTool(words, { env, terminal: true })
    expect(stderr).toContain(`To set these variables in this shell: ${command}`)
  })
})

describe('svc use', () => {
  it('[CLI-39] selects a sandbox for a folder and all folders below it', async () => {
    const { env } = await service()
    const root = temporaryFolder('svc-use')
    const cwd = join(root, 'a', 'b')
    mkdirSync(cwd, { recursive: true })
    symlinkSync(join(root, 'a'), join(root, 'link'))
    expect(await runTool(['use'], { env, cwd })).toMatchObject({ code: 1, stderr: expect.stringContaining('svc use') })
    const used = await runTool(['use', 'mall-aaaaa'], { env, cwd: join(root, 'a') })
    expect(used).toMatchObject({ code: 0, stdout: expect.stringContaining('uses Mall (sbx_a)') })
    for (const folder of [join(root, 'a'), cwd, join(root, 'link', 'b')]) {
      const { stdout } = await runTool(['sandbox', 'connect', '--format=json'], { env, cwd: folder })
      expect(JSON.parse(stdout).token).toBe(tokenOf('sbx_a'))
    }
    expect((await runTool(['sandbox', 'connect'], { env, cwd: root })).code).toBe(64)
    const other = { ...env, SVC_SANDBOX_API_URL: 'http://127.0.0.1:1' }
    expect((await runTool(['use'], { env: other, cwd })).code).toBe(1)
    expect((await runTool(['use', '--clear'], { env, cwd })).stdout).toContain('no longer uses Mall')
    expect((await runTool(['use'], { env, cwd: join(root, 'a') })).code).toBe(1)
    expect((await runTool(['use', 'sbx_nobody'], { env, cwd })).stderr).toContain('No such sandbox')
  })

  it('[CLI-47, CLI-48] selects the sandbox for extend, reset and delete; reset asks and names it', async () => {
    const { env, received } = await service()
    const cwd = temporaryFolder('svc-use')
    const changes = () =>
      received.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`)
    const none = await runTool(['sandbox', 'reset', '--yes'], { env, cwd })
    expect(none).toMatchObject({ code: 64, stderr: expect.stringContaining('svc use') })
    await runTool(['use', 'sbx_a'], { env, cwd })
    const kept = await runTool(['sandbox', 'reset'], { env, cwd, terminal: true, stdin: 'n\n' })
    expect(kept.stderr).toContain('Delete all data in Mall (sbx_a) and reset it')
    for (const more of [[], ['--format=json']]) {
      expect((await runTool(['sandbox', 'delete', ...more], { env, cwd })).code).toBe(64)
    }
    expect(changes()).toEqual([])
    for (const words of [
      ['extend', '--days=1'],
      ['reset', '--yes', '--no-wait'],
      ['delete', '--yes'],
    ]) {
      expect(await runTool(['sandbox', ...words], { env, cwd }), words.join(' ')).toMatchObject({ code: 0 })
    }
    const path = '/api/v1/sandboxes/sbx_a'
    expect(changes()).toEqual([`POST ${path}/extend`, `POST ${path}/reset`, `DELETE ${path}`])
    // The deleted sandbox is no longer selected.
    expect((await runTool(['use'], { env, cwd })).code).toBe(1)
  })

  it('[CLI-48] does not override the sandbox of the environment: reset and delete fail if the two differ', async () => {
    const { env, received } = await service()
    const cwd = temporaryFolder('svc-use')
    await runTool(['use', 'sbx_a'], { env, cwd })
    const before = received.length
    const connected = { ...env, SVC_API_URL: 'http://twin-bbbbb.localhost:4000', SVC_API_TOKEN: tokenOf('sbx_b') }
    for (const verb of ['reset', 'delete']) {
      const { code, stderr } = await runTool(['sandbox', verb, '--yes'], { env: connected, cwd })
      expect({ verb, code }).toEqual({ verb, code: 64 })
      expect(stderr).toContain('This shell is connected to sbx_b, but this folder uses Mall (sbx_a).')
    }
    expect(received).toHaveLength(before)
  })

  it('[CLI-39] reports that the environment has the variables of another sandbox', async () => {
    const { env } = await service()
    const connected = { ...env, SVC_API_URL: 'http://twin-bbbbb.localhost:4000', SVC_API_TOKEN: tokenOf('sbx_b') }
    const cwd = temporaryFolder('svc-use')
    const { stderr } = await runTool(['use', 'sbx_a', '--token', 'svc_key'], { env: connected, cwd })
    expect(stderr).toContain('This shell is connected to sbx_b')
  })
})

describe('the sandbox of the environment', () => {
  it('[CLI-22] has a token that is not sent to the service, which gets the token of the stored session', async () => {
    const { env, url, received } = await service()
    const folder = join(env.XDG_CONFIG_HOME!, 'storey')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const session = { issuer: url, accessToken: 'of-the-session', refreshToken: 'r', expiresAt: Date.UTC(2030, 0, 1) }
    writeFileSync(join(folder, 'sessions.json'), JSON.stringify({ [url]: session }), { mode: 0o600 })
    const connected = { ...env, SVC_API_URL: 'http://mall-aaaaa.localhost:4000', SVC_API_TOKEN: tokenOf('sbx_a') }
    for (const words of [
      ['sandbox', 'list'],
      ['sandbox', 'connect', 'Mall'],
      ['use', 'sbx_b'],
      ['sandbox', 'delete', 'sbx_c', '--yes'],
    ]) {
      expect(await runTool(words, { env: connected, cwd: folder }), words.join(' ')).toMatchObject({ code: 0 })
    }
    expect(new Set(received.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer of-the-session']))
    const explicit = await runTool(['sandbox', 'list', '--token', 'svc_key'], { env: connected })
    expect(explicit.code).toBe(0)
    expect(received.at(-1)!.headers.authorization).toBe('Bearer svc_key')
  })

  it('[CLI-22] needs no sign-in when it is named, by its id or its slug', async () => {
    const { url, received } = await scriptedService(({ path }) =>
      path.startsWith('/api/v1/licenses')
        ? { status: 201, json: { licenseId: 'l-1' } }
        : { json: { slug: 'air', version: '1.0.0', compatible: true, remoteEntryUrl: 'http://localhost:1/x.js' } },
    )
    const cwd = temporaryFolder('svc-env')
    writeFileSync(join(cwd, 'manifest.json'), JSON.stringify({ slug: 'air', sdkVersion: '1.14.0' }))
    const apiUrl = url.replace('127.0.0.1', 'mall-aaaaa.localhost')
    const env = { SVC_API_URL: apiUrl, SVC_API_TOKEN: tokenOf('sbx_a'), SVC_SANDBOX_API_URL: 'http://127.0.0.1:1' }
    for (const name of ['sbx_a', 'mall-aaaaa']) {
      const words = ['sandbox', 'install', 'manifest.json', `--sandbox=${name}`]
      const { code, stderr } = await runTool(words, { env: { ...env, SVC_BUILDING_ID: 'b-1' }, cwd })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    }
    expect(received).toHaveLength(4)
    const { code, stderr } = await runTool(['sandbox', 'install', 'manifest.json', '--sandbox=sbx_b'], { env, cwd })
    expect(code).toBe(1)
    expect(stderr).toContain('SVC_API_TOKEN is the token of the sandbox sbx_a')
  })
})
