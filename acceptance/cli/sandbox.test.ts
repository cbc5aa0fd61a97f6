import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { api, newDeveloper, systemUrl } from '../system/shared.ts'
import { execute, newHome, svc, TOOL } from './tool.ts'

const SHAPE = [
  ...['--type', 'mall', '--storeys', '2', '--area-sqm', '900', '--spaces-min', '4', '--spaces-max', '8'],
  ...['--equipment-density', 'sparse', '--occupancy-profile', '24x7', '--seed', 'acceptance'],
]
const MANIFEST = { slug: 'air-view', name: 'Air view', version: '1.0.0', sdkVersion: '1.14.0', buildingTypes: ['mall'] }

const home = newHome()
let key: string
let env: Record<string, string>
let created: Record<string, unknown> & { sandboxId: string }

beforeAll(async () => {
  key = (await newDeveloper()).key
  env = { ...home, SVC_API_TOKEN: key, SVC_SANDBOX_API_URL: systemUrl }
  const words = ['sandbox', 'create', '--name', "Ann's mall", '--ttl-days', '3', '--seed-telemetry-days', '1', ...SHAPE]
  const { code, stdout, stderr } = await svc([...words, '--format=json'], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  created = JSON.parse(stdout)
})
afterAll(async () => {
  await api(key, `/api/v1/sandboxes/${created?.sandboxId}`, { method: 'DELETE' })
})

const record = async () => (await api(key, `/api/v1/sandboxes/${created.sandboxId}`)).json
const connection = async () => (await api(key, `/api/v1/sandboxes/${created.sandboxId}/connection`)).json

describe('svc sandbox in a pipe', () => {
  it('[CLI-10, CLI-11, CLI-12, CLI-28, CLI-30, CLI-31] creates a sandbox, and prints only its record', async () => {
    expect(created).toEqual(await record())
    expect(created).toMatchObject({
      ...{ status: 'ready', name: "Ann's mall", buildingType: 'mall', storeys: 2, areaSqm: 900, seedTelemetryDays: 1 },
      ...{ spacesMin: 4, spacesMax: 8, equipmentDensity: 'sparse', occupancyProfile: '24x7', seed: 'acceptance' },
    })
    const days = (Date.parse(String(created.expiresAt)) - Date.parse(String(created.createdAt))) / 86_400_000
    expect(days).toBe(3)
  })

  it('[CLI-17, CLI-18, CLI-19] shows in a dry run the building that would be created, without network or credential', async () => {
    const cwd = temporaryFolder('svc-dry')
    const words = ['sandbox', 'create', '--dry-run', ...SHAPE, '--out', 'building.json']
    const { code, stdout, stderr } = await svc(words, {
      env: { ...home, SVC_SANDBOX_API_URL: 'http://127.0.0.1:1' },
      cwd,
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(String(created.fingerprint))
    expect(stdout).toMatch(/┏[━┯]+┓\n/)
    const whole = JSON.parse(readFileSync(join(cwd, 'building.json'), 'utf8'))
    expect(whole.fingerprint).toBe(created.fingerprint)
    const { apiUrl, token, buildingId } = await connection()
    const graph = await call(`${apiUrl}/api/v1/buildings/${buildingId}/spaces?limit=1`, { token })
    expect(whole.spaces).toHaveLength(graph.json.total)
  })

  it('[CLI-20, CLI-28] lists sandboxes as lines for a pipe, or as JSON with `data` and `total`', async () => {
    const plain = await svc(['sandbox', 'list'], { env })
    expect(plain).toMatchObject({ code: 0, stderr: '' })
    expect(plain.stdout.split('\n')[0]!.split('\t').slice(0, 3)).toEqual([created.sandboxId, "Ann's mall", 'ready'])
    const { data, total } = JSON.parse((await svc(['sandbox', 'list', '--format', 'json'], { env })).stdout)
    expect({ data, total }).toEqual({ data: [await record()], total: 1 })
  })

  it('[CLI-21] prints the connection as lines for a shell, or as JSON', async () => {
    const { apiUrl, token, buildingId, organizationId, consoleUrl } = await connection()
    const lines = `eval "$('${process.execPath}' '${TOOL}' sandbox connect ${created.sandboxId})" && env`
    const { stdout } = await execute('sh', ['-c', lines], { env })
    const set = Object.fromEntries(stdout.split('\n').map((line) => line.split(/=(.*)/s) as [string, string]))
    expect(set).toMatchObject({
      ...{ SVC_API_URL: apiUrl, SVC_API_TOKEN: token, SVC_SANDBOX_API_URL: systemUrl, SVC_BUILDING_ID: buildingId },
      ...{ SVC_ORGANIZATION_ID: organizationId, SVC_CONSOLE_URL: consoleUrl ?? '' },
    })
    const asJson = await svc(['sandbox', 'connect', created.sandboxId, '--format=json'], { env })
    expect(JSON.parse(asJson.stdout)).toEqual(await connection())
    const fish = await svc(['sandbox', 'connect', created.sandboxId, '--shell=fish'], { env })
    expect(fish.stdout).toContain(`set -gx SVC_API_URL '${apiUrl}'`)
  })

  it('[CLI-22] does not list sandboxes with the token of a sandbox, and explains how to sign in', async () => {
    const { token } = await connection()
    const { code, stdout, stderr } = await svc(['sandbox', 'list'], { env: { ...env, SVC_API_TOKEN: token } })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(`SVC_API_TOKEN is the token of the sandbox ${created.sandboxId}`)
    expect(stderr).toContain('svc login')
    expect(stderr).not.toContain(token)
    const withKey = await svc(['sandbox', 'list', '--token', key], { env: { ...env, SVC_API_TOKEN: token } })
    expect(withKey).toMatchObject({ code: 0, stderr: '' })
  })

  it('[CLI-24, CLI-25, CLI-26] installs a module repeatedly, with the sandbox from an option or the environment', async () => {
    const file = join(temporaryFolder('svc-manifest'), 'manifest.json')
    writeFileSync(file, JSON.stringify(MANIFEST))
    const { apiUrl, token, buildingId } = await connection()
    const first = await svc(['sandbox', 'install', file, `--sandbox=${created.sandboxId}`, '--format=json'], { env })
    expect(first).toMatchObject({ code: 0, stderr: '' })
    const { module, license } = JSON.parse(first.stdout)
    expect(module).toMatchObject({ slug: 'air-view', remoteEntryUrl: 'http://localhost:6001/assets/remoteEntry.js' })
    expect(license).toMatchObject({ moduleSlug: 'air-view', buildingId })

    const pair = { ...home, SVC_API_URL: apiUrl, SVC_API_TOKEN: token }
    const moved = 'http://127.0.0.1:7001/assets/remoteEntry.js'
    const again = await svc(['sandbox', 'install', file, '--remote-entry', moved], { env: pair })
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(again.stdout).toContain('exists already')
    const { json } = await call(`${apiUrl}/api/v1/registry/modules/air-view`, { token })
    expect(json.remoteEntryUrl).toBe(moved)
    const licenses = await call(`${apiUrl}/api/v1/licenses?moduleSlug=air-view`, { token })
    expect(licenses.json.data).toEqual([license])
  })

  it('[CLI-29, CLI-32] reports a refusal with the valid values as text, and with its code as JSON', async () => {
    const file = join(temporaryFolder('svc-manifest'), 'manifest.json')
    writeFileSync(file, JSON.stringify({ ...MANIFEST, slug: 'castle-view', buildingTypes: ['castle'] }))
    const words = ['sandbox', 'install', file, `--sandbox=${created.sandboxId}`]
    const { code, stdout, stderr } = await svc(words, { env })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/"castle" is not a type of building\.\n.*Valid: .*mall/)
    const { stderr: json } = await svc([...words, '--format=json'], { env })
    expect(JSON.parse(json)).toMatchObject({ status: 400, code: 'UNKNOWN_BUILDING_TYPE' })
  })

  it('[CLI-23] extends, resets and deletes a sandbox', async () => {
    const extended = JSON.parse(
      (await svc(['sandbox', 'extend', created.sandboxId, '--days=2', '--format=json'], { env })).stdout,
    )
    expect(Date.parse(extended.expiresAt) - Date.parse(String(created.expiresAt))).toBe(2 * 86_400_000)
    const tooLong = await svc(['sandbox', 'extend', created.sandboxId, '--days=40'], { env })
    expect(tooLong).toMatchObject({ code: 1, stderr: expect.stringContaining('TTL_TOO_LONG (400)') })

    const { apiUrl, token } = await connection()
    const reset = await svc(['sandbox', 'reset', created.sandboxId, '--format=json'], { env })
    expect(reset).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(reset.stdout)).toMatchObject({ status: 'ready', fingerprint: created.fingerprint })
    expect((await call(`${apiUrl}/api/v1/registry/modules`, { token })).json.total).toBe(0)

    const deleted = await svc(['sandbox', 'delete', created.sandboxId], { env })
    expect(deleted).toEqual({ code: 0, stdout: `Deleted ${created.sandboxId}.\n`, stderr: '' })
    expect((await api(key, `/api/v1/sandboxes/${created.sandboxId}`)).status).toBe(404)
    const gone = await svc(['sandbox', 'delete', created.sandboxId, '--format=json'], { env })
    expect(gone.code).toBe(1)
    expect(JSON.parse(gone.stderr)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('the settings of svc', () => {
  const list = (words: string[], more: Record<string, string>) =>
    svc(['sandbox', 'list', ...words], { env: { ...home, SVC_API_TOKEN: key, ...more } })

  it('[CLI-01] take the address from the first of --api, SVC_SANDBOX_API_URL and SVC_API_URL that is set', async () => {
    const nowhere = 'http://127.0.0.1:1'
    const all = { SVC_SANDBOX_API_URL: nowhere, SVC_API_URL: nowhere }
    expect((await list(['--api', systemUrl], all)).code).toBe(0)
    expect((await list([], { ...all, SVC_SANDBOX_API_URL: systemUrl })).code).toBe(0)
    expect((await list([], { SVC_API_URL: systemUrl })).code).toBe(0)
    expect((await list(['--api', nowhere], { SVC_SANDBOX_API_URL: systemUrl, SVC_API_URL: systemUrl })).code).toBe(2)
    expect((await list([], { SVC_SANDBOX_API_URL: nowhere, SVC_API_URL: systemUrl })).code).toBe(2)
  })

  it('[CLI-02] take the credential from --token, even if SVC_API_TOKEN is set', async () => {
    const address = { SVC_SANDBOX_API_URL: systemUrl }
    expect((await list(['--token', key], { ...address, SVC_API_TOKEN: 'svc_wrong' })).code).toBe(0)
    const wrong = await list(['--token', 'svc_wrong'], address)
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toContain('--token is not accepted')
    expect(wrong.stderr).not.toContain(key)
  })
})
