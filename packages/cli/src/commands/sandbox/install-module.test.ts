import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Answer, problem, scriptedService } from '../../testing/scripted-service.ts'
import { runTool } from '../../testing/test-context.ts'
import { builtEntryText, ENTRY, serveRemote } from '../module/testing/remote-server.ts'

const row = {
  ...{ slug: 'air', name: 'Air', version: '1.0.0', sdkVersion: '1.14.0', compatible: true },
  remoteEntryUrl: 'http://localhost:6001/assets/remoteEntry.js',
}
const license = { licenseId: 'l-1', moduleSlug: 'air', buildingId: 'b-1' }
const listOf = (...data: unknown[]) => ({ json: { data, total: data.length, limit: 50, offset: 0 } })

async function install(answers: Record<string, Answer>, env: Record<string, string> = {}, ...words: string[]) {
  const cwd = temporaryFolder('svc-install')
  writeFileSync(join(cwd, 'manifest.json'), JSON.stringify({ slug: 'air', sdkVersion: '1.14.0' }))
  const { url, received } = await scriptedService(({ method, path }) => {
    return answers[`${method} ${path.replace(/\?.*/, '')}`] ?? problem(404, 'NOT_FOUND', 'No such route')
  })
  const ended = await runTool(['sandbox', 'install', 'manifest.json', ...words], {
    cwd,
    env: { SVC_API_URL: url, SVC_API_TOKEN: 'a.b.c', ...env },
  })
  return { ...ended, calls: received.map(({ method, path }) => `${method} ${path}`), received }
}

const INGEST = 'POST /api/v1/registry/modules/ingest'
const LICENSE = 'POST /api/v1/licenses'

describe('sandbox install', () => {
  it('[CLI-24, CLI-26] registers the module, then requests the licence, both with the address and the token of the environment', async () => {
    const answers = { [INGEST]: { status: 201, json: row }, [LICENSE]: { status: 201, json: license } }
    const { code, stdout, calls, received } = await install(answers, { SVC_BUILDING_ID: 'b-1' }, '--format=json')
    expect(code).toBe(0)
    expect(calls).toEqual([INGEST, LICENSE])
    expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer a.b.c', 'Bearer a.b.c'])
    expect(JSON.parse(received[0]!.body)).toEqual({
      manifest: { slug: 'air', sdkVersion: '1.14.0' },
      remoteEntryUrl: 'http://localhost:6001/assets/remoteEntry.js',
    })
    expect(JSON.parse(received[1]!.body)).toEqual({ moduleSlug: 'air', buildingId: 'b-1' })
    expect(JSON.parse(stdout)).toEqual({ module: row, license })
  })

  it('[CLI-25] accepts a 409 for the licence, and no other refusal', async () => {
    const there = { [INGEST]: { json: row }, [LICENSE]: problem(409, 'CONFLICT', 'It is licensed already') }
    const answers = { ...there, 'GET /api/v1/licenses': listOf(license) }
    const again = await install(answers, { SVC_BUILDING_ID: 'b-1' }, '--format=json')
    expect(again.code).toBe(0)
    expect(JSON.parse(again.stdout)).toEqual({ module: row, license })
    const denied = { ...there, [LICENSE]: problem(403, 'PERMISSION_DENIED', 'Not you') }
    expect(await install(denied, { SVC_BUILDING_ID: 'b-1' })).toMatchObject({ code: 1, stdout: '' })
    const conflict = { [INGEST]: problem(409, 'CONFLICT', 'Not now') }
    expect(await install(conflict, { SVC_BUILDING_ID: 'b-1' })).toMatchObject({ code: 1, calls: [INGEST] })
  })

  it('[CLI-51] warns that another module runs at the address, and explains how to serve both', async () => {
    const remote = await serveRemote({ [ENTRY]: { body: builtEntryText('water_meter') } })
    onTestFinished(() => remote.close())
    const answers = {
      [INGEST]: { json: { ...row, remoteEntryUrl: remote.entry } },
      [LICENSE]: { status: 201, json: license },
    }
    const { code, stdout, stderr } = await install(answers, { SVC_BUILDING_ID: 'b-1' })
    expect(code).toBe(0)
    expect(stdout).toContain('svc open --path /sandbox/air')
    expect(stderr).toContain(
      `Another module (water_meter) runs at ${remote.entry}: stop that module, or serve this module on`,
    )
    expect(stderr).toContain(`--port ${Number(new URL(remote.entry).port) + 1}`)
    const own = await serveRemote({ [ENTRY]: { body: builtEntryText('air') } })
    onTestFinished(() => own.close())
    const right = { ...answers, [INGEST]: { json: { ...row, remoteEntryUrl: own.entry } } }
    expect((await install(right, { SVC_BUILDING_ID: 'b-1' })).stderr).toBe('')
  })

  it('uses the only building, and asks the user to choose if there are several', async () => {
    const answers = { [INGEST]: { json: row }, [LICENSE]: { status: 201, json: license } }
    const one = await install({ ...answers, 'GET /api/v1/buildings': listOf({ id: 'b-1' }) })
    expect(one.code).toBe(0)
    const two = await install({ ...answers, 'GET /api/v1/buildings': listOf({ id: 'b-1' }, { id: 'b-2' }) })
    expect(two).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC_BUILDING_ID to one of: b-1, b-2') })
  })

  it('removes control characters from texts of the module', async () => {
    const module = { ...row, name: 'Air\u001b[2J', sdkVersion: '0.1.0\u001b[2J', compatible: false }
    const answers = { [INGEST]: { json: module }, [LICENSE]: { status: 201, json: license } }
    const { stdout, stderr } = await install(answers, { SVC_BUILDING_ID: 'b-1' })
    expect(stdout).toContain('Air[2J is installed.')
    expect(stdout + stderr).not.toContain('\u001b')
  })

  it('reports that the platform cannot run the module, although the platform has registered it', async () => {
    const answers = { [INGEST]: { json: { ...row, compatible: false } }, [LICENSE]: { status: 201, json: license } }
    const { code, stderr } = await install(answers, { SVC_BUILDING_ID: 'b-1' })
    expect(code).toBe(0)
    expect(stderr).toContain('The platform cannot run this module')
  })
})
