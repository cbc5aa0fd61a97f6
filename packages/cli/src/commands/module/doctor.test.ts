import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { VERSION } from '@storey/contract'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runTool } from '../../testing/test-context.ts'
import { type RemoteServer, type Served, serveRemote, validModule } from './testing/remote-server.ts'

const BUILDING = '11111111-1111-4111-8111-111111111111'
const manifest = { slug: 'air-quality', name: 'Air quality', version: '0.1.0', sdkVersion: VERSION }
let cwd: string
let remote: RemoteServer
let platform: RemoteServer
/** The responses of the platform, which each test can change. */
const answers: Record<string, Served> = {}

const put = async (file: string, content: object) => {
  await mkdir(dirname(join(cwd, file)), { recursive: true })
  await writeFile(join(cwd, file), JSON.stringify(content))
}
const answer = (path: string, status: number, body: object) => {
  const type = status < 400 ? 'application/json' : 'application/problem+json'
  answers[path] = { status, type, body: JSON.stringify(body) }
}
const row = (more: object = {}) => ({ ...manifest, compatible: true, remoteEntryUrl: remote.entry, ...more })
const licences = (total: number) => ({ data: [], total, limit: 50, offset: 0 })
const REGISTRY = '/api/v1/registry/modules/air-quality'

beforeAll(async () => {
  remote = await serveRemote(validModule())
  platform = await serveRemote(answers)
  cwd = temporaryFolder('svc-doctor')
  await put('package.json', { scripts: { 'dev:remote': 'a', 'serve:remote': 'b' }, dependencies: { react: '^19.2.0' } })
  await put('node_modules/react/package.json', { version: '19.2.0' })
  await put('node_modules/@storey/sdk/package.json', { version: VERSION })
})
afterAll(async () => {
  await Promise.all([remote.close(), platform.close()])
})
beforeEach(async () => {
  await put('manifest.json', manifest)
  answer(REGISTRY, 200, row())
  answer('/api/v1/licenses', 200, licences(1))
})

const connected = () => ({
  SVC_API_URL: platform.origin,
  SVC_API_TOKEN: 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln',
  SVC_BUILDING_ID: BUILDING,
  SVC_CONSOLE_URL: 'http://lab-12345.localhost:4000',
})

async function doctor(env: Record<string, string> = connected(), words = [`--remote-entry=${remote.entry}`]) {
  const ran = await runTool(['module', 'doctor', ...words, '--format=json'], { cwd, env })
  const { ok, checks } = JSON.parse(ran.stdout)
  const of = (name: string) => checks.find((check: { name: string }) => check.name === name)
  const notOk = checks
    .filter(({ state }: { state: string }) => state !== 'ok')
    .map(({ name, state }: never) => [name, state])
  return { ...ran, ok, of, notOk: Object.fromEntries(notOk) }
}

describe('svc module doctor', () => {
  it('exits with 0 when all checks pass, and reports the limits of browsers as a note', async () => {
    const { code, ok, notOk, of, stderr } = await doctor()
    expect({ code, ok, notOk, stderr }).toEqual({ code: 0, ok: true, notOk: { browser: 'note' }, stderr: '' })
    expect(of('cors').found).toBe('the shell at http://lab-12345.localhost:4000 may read the entry')
    expect(of('browser').found).toMatch(/Chrome or Firefox.*Safari/)
  })

  it('mentions the permission that Chrome asks for if the shell is a public page', async () => {
    const { of } = await doctor({ ...connected(), SVC_CONSOLE_URL: 'https://lab.sandboxes.example' })
    expect(of('browser').found).toContain('Chrome asks')
    expect(of('cors')).toMatchObject({ state: 'fail', found: expect.stringContaining('https://lab.sandboxes.example') })
  })

  it('does not report success for checks that it skipped', async () => {
    const { code, notOk, of } = await doctor({})
    expect(code).toBe(0)
    expect(of('cors').found).toBe('the shell of any sandbox on this machine may read the entry')
    expect(notOk).toEqual({ platform: 'skipped', registry: 'skipped', licence: 'skipped', browser: 'note' })
    const key = await doctor({ ...connected(), SVC_API_TOKEN: 'svc_something' })
    expect(key.of('platform')).toMatchObject({
      state: 'skipped',
      found: expect.stringContaining('not a sandbox token'),
    })
  })

  it('[CLI-36] fails when the sandbox does not have the module', async () => {
    answer(REGISTRY, 404, { type: 'x', title: 'x', status: 404, code: 'NOT_FOUND', detail: 'No such module' })
    const { code, ok, notOk, of, stderr } = await doctor()
    expect({ code, ok }).toEqual({ code: 1, ok: false })
    expect(notOk).toEqual({ platform: 'skipped', registry: 'fail', licence: 'skipped', browser: 'note' })
    expect(of('registry').fix).toBe(`svc sandbox install manifest.json --remote-entry=${remote.entry}`)
    expect(JSON.parse(stderr)).toMatchObject({ code: 'MODULE_UNHEALTHY', failed: 1 })
  })

  it('[CLI-36] fails when the registered address is not that of --remote-entry, or the platform does not support the SDK of the module', async () => {
    answer(REGISTRY, 200, row({ remoteEntryUrl: 'http://localhost:7000/assets/remoteEntry.js', compatible: false }))
    const { code, notOk, of } = await doctor()
    expect({ code, notOk }).toEqual({ code: 1, notOk: { platform: 'fail', registry: 'fail', browser: 'note' } })
    expect(of('registry').found).toContain('http://localhost:7000/')
  })

  it('[CLI-40] checks the registered address, not the default one', async () => {
    const { code, notOk, of } = await doctor(connected(), [])
    expect({ code, notOk }).toEqual({ code: 0, notOk: { browser: 'note' } })
    expect(of('remote-entry').found).toContain(remote.entry)
    const gone = await serveRemote({})
    await gone.close()
    answer(REGISTRY, 200, row({ remoteEntryUrl: gone.entry }))
    const away = await doctor(connected(), [])
    expect(away.of('port')).toMatchObject({ state: 'fail', found: expect.stringContaining('registered') })
    expect(away.of('registry').state).toBe('ok')
  })

  it('[CLI-40] checks the Node on the PATH, because that Node runs the scripts of the project', async () => {
    const bin = temporaryFolder('svc-node')
    await writeFile(join(bin, 'node'), '#!/bin/sh\necho v18.20.1\n', { mode: 0o755 })
    const PATH = `${join(cwd, 'node_modules', '.bin')}:${bin}:/usr/bin:/bin`
    const { of } = await doctor({ ...connected(), PATH })
    expect(of('node')).toMatchObject({ state: 'fail', found: expect.stringContaining('v18.20.1') })
    const none = await doctor({ ...connected(), PATH: join(cwd, 'nothing') })
    expect(none.of('node')).toMatchObject({ state: 'fail', found: expect.stringContaining('no node') })
  })

  it('[CLI-36] warns of a registered version that is not that of the manifest, and of a missing licence', async () => {
    answer(REGISTRY, 200, row({ version: '0.0.9' }))
    answer('/api/v1/licenses', 200, licences(0))
    const { code, notOk } = await doctor()
    expect({ code, notOk }).toEqual({ code: 0, notOk: { registry: 'warn', licence: 'warn', browser: 'note' } })
  })

  it('[CLI-36] reports the other checks when the platform refuses the token or is unreachable', async () => {
    answer(REGISTRY, 401, {
      type: 'x',
      title: 'x',
      status: 401,
      code: 'UNAUTHENTICATED',
      detail: 'The token has expired',
    })
    const refused = await doctor()
    expect({ code: refused.code, notOk: refused.notOk }).toMatchObject({
      code: 1,
      notOk: { platform: 'fail', licence: 'skipped' },
    })
    expect(refused.of('platform').found).toContain('The token has expired')
    expect(refused.of('exposed').state).toBe('ok')
    const notOk = await doctor({ ...connected(), SVC_CONSOLE_URL: 'nowhere' })
    expect(notOk.of('platform')).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('SVC_CONSOLE_URL is "nowhere"'),
    })
    const gone = await serveRemote({})
    await gone.close()
    const away = await doctor({ ...connected(), SVC_API_URL: gone.origin })
    expect({ code: away.code, notOk: away.notOk }).toMatchObject({
      code: 1,
      notOk: { platform: 'fail', registry: 'skipped' },
    })
  })

  it('[CLI-36] skips the checks that need a valid manifest if the manifest is invalid', async () => {
    await put('manifest.json', { ...manifest, slug: 'Air' })
    const { code, notOk } = await doctor()
    expect(code).toBe(1)
    expect(notOk).toMatchObject({
      manifest: 'fail',
      'sdk-version': 'skipped',
      'federation-name': 'skipped',
      registry: 'skipped',
    })
  })

  it('[CLI-36] reports only the missing project in an empty folder, and suggests no npm install', async () => {
    const empty = temporaryFolder('svc-doctor')
    const { code, stdout, stderr } = await runTool(['module', 'doctor'], { cwd: empty })
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^fail {5}project {2}.* is not a module project\n +fix: run this command in the folder of a module, .*--dir/,
    )
    expect(stdout).not.toContain('npm install')
    expect(stderr).toContain('1 check failed')
  })

  it('prints one line for each check, and a fix for each failure', async () => {
    await put('manifest.json', { ...manifest, sdkVersion: '1.13.0' })
    const { code, stdout, stderr } = await runTool(['module', 'doctor', `--remote-entry=${remote.entry}`], { cwd })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^ok {7}manifest {9}air-quality 0\.1\.0/m)
    expect(stdout).toMatch(
      /^fail {5}sdk-version {6}1\.13\.0 is older than 1\.14\.0, the oldest supported version\n +fix: .*"sdkVersion": "1\.14\.0"/m,
    )
    expect(stderr).toContain('1 check failed')
  })
})
