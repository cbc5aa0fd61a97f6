import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { isBelow } from '../../is-below.ts'
import { scriptedService } from '../../testing/scripted-service.ts'
import { runTool } from '../../testing/test-context.ts'

const jwt = 'a.b.c'

async function install(manifest: unknown, version = '1.14.0') {
  const cwd = temporaryFolder('svc-install')
  writeFileSync(join(cwd, 'manifest.json'), typeof manifest === 'string' ? manifest : JSON.stringify(manifest))
  const { url, received } = await scriptedService(() => ({ status: 500 }))
  const env = { SVC_API_URL: url, SVC_API_TOKEN: jwt, SVC_BUILDING_ID: 'b' }
  return { ...(await runTool(['sandbox', 'install', 'manifest.json'], { cwd, env, version })), received }
}

describe('the manifest of an install', () => {
  it('[CLI-27] is refused before anything is sent if it was created by a version below 1.14.0', async () => {
    const { code, stderr, received } = await install({ slug: 'a', sdkVersion: '1.13.9' })
    expect({ code, received }).toEqual({ code: 1, received: [] })
    expect(stderr).toMatch(/created with version 1\.13\.9.*\n.*→ .*dev:remote and serve:remote/)
  })

  it('[CLI-27] is refused by a tool of a version below 1.14.0', async () => {
    const { code, stderr, received } = await install({ slug: 'a', sdkVersion: '1.14.0' }, '1.13.0')
    expect({ code, received }).toEqual({ code: 1, received: [] })
    expect(stderr).toContain('Installing needs svc 1.14.0 or later; this is 1.13.0.')
  })

  it('must exist and be a JSON object', async () => {
    for (const text of ['', 'slug: a', '[]', '3']) expect(await install(text)).toMatchObject({ code: 1, received: [] })
    const { code, stderr } = await runTool(['sandbox', 'install', 'nowhere.json'], { env: { SVC_API_TOKEN: jwt } })
    expect(code).toBe(1)
    expect(stderr).toContain('File nowhere.json does not exist.')
  })

  it('has a version that is compared by its three numbers, and a prerelease is below its release', () => {
    expect(['1.13.99', '0.99.0', '1.9.0', '1.14.0-rc.1'].filter((version) => !isBelow(version, '1.14.0'))).toEqual([])
    expect(isBelow('1.15.0-rc.1', '1.15.0-rc.1')).toBe(false)
    expect(['1.14.0', '1.14.1-rc.1', '1.100.0', '2.0.0', 'latest'].filter((v) => isBelow(v, '1.14.0'))).toEqual([])
  })
})

describe('the target of an install', () => {
  it('must be given, for example with --sandbox or in the environment that sandbox connect prints', async () => {
    const cwd = temporaryFolder('svc-install')
    writeFileSync(join(cwd, 'manifest.json'), '{"sdkVersion": "1.14.0"}')
    for (const env of [{}, { SVC_API_URL: 'http://x' }, { SVC_API_URL: 'http://x', SVC_API_TOKEN: 'svc_key' }]) {
      const { code, stderr } = await runTool(['sandbox', 'install', 'manifest.json'], {
        cwd,
        env: env as Record<string, string>,
      })
      expect(code).toBe(64)
      expect(stderr).toContain('--sandbox=<sandbox>')
    }
  })
})
