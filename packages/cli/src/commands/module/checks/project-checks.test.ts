import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { beforeEach, describe, expect, it } from 'vitest'
import { checkManifest } from './manifest.ts'
import { readJson } from './project.ts'
import { checkReact } from './react.ts'
import { checkScripts } from './scripts.ts'
import { checkSdkVersion } from './sdk-version.ts'
import { admitsMajor, runsVite } from './versions.ts'

let folder: string
beforeEach(async () => {
  folder = temporaryFolder('svc-doctor')
})

async function put(file: string, content: unknown): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true })
  await writeFile(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content))
}
const packageJson = () => readJson(join(folder, 'package.json'))
const installed = (name: string, version: string) => put(`node_modules/${name}/package.json`, { name, version })

const MANIFEST = { slug: 'air-quality', name: 'Air quality', version: '0.1.0', sdkVersion: '1.14.0' }

describe('the manifest', () => {
  it('is accepted with additional fields, as the contract allows', async () => {
    await put('manifest.json', { ...MANIFEST, buildingTypes: ['office'], colour: 'green' })
    const { check, manifest } = await checkManifest(folder)
    expect(check).toMatchObject({ state: 'ok', found: expect.stringContaining('air-quality 0.1.0') })
    expect(manifest?.slug).toBe('air-quality')
  })

  it('[CLI-36] fails when it is absent or not JSON', async () => {
    expect((await checkManifest(folder)).check).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('svc module create'),
    })
    await put('manifest.json', '{"slug": ')
    expect((await checkManifest(folder)).check).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('cannot be read'),
    })
  })

  it.each([
    [{ slug: 'Air_Quality' }, 'slug must be lowercase kebab-case'],
    [{ slug: 'a'.repeat(65) }, 'slug must be lowercase kebab-case'],
    [{ name: undefined }, 'name is missing'],
    [{ sdkVersion: '1.14' }, 'sdkVersion must be a semantic version'],
    [{ buildingTypes: ['castle'] }, 'buildingTypes has castle, but the platform knows only office, mall'],
    [{ events: { publishes: [{ name: 'Air.Bad' }] } }, 'events.publishes.0.name must be segments'],
    [{ about: 'x'.repeat(600_000) }, 'at most 131072 are allowed'],
  ])('[CLI-36] fails for %j, and the check names the violation', async (wrong, words) => {
    await put('manifest.json', { ...MANIFEST, ...wrong })
    const { check, manifest } = await checkManifest(folder)
    expect(check).toMatchObject({ state: 'fail', found: expect.stringContaining(words) })
    expect(manifest).toBeUndefined()
  })
})

describe('the version of the SDK', () => {
  it.each([
    ['1.14.0', '1.14.0', '1.14.0', 'ok'],
    ['1.15.2', '1.15.2', '1.16.0', 'ok'],
    ['1.14.0', '1.15.0', '1.15.0', 'warn'],
    ['1.17.0', '1.17.0', '1.16.0', 'warn'],
    ['1.13.0', '1.13.0', '1.14.0', 'fail'],
    ['2.0.0', '2.0.0', '1.14.0', 'fail'],
  ])(
    '[CLI-36] is checked: with %s in the manifest, %s installed and version %s of the tool, the state is %s',
    async (sdkVersion, there, tool, state) => {
      await installed('@storey/sdk', there)
      expect(await checkSdkVersion(folder, sdkVersion, tool)).toMatchObject({ state })
    },
  )

  it('causes the advice to install a newer tool, if the SDK is newer than the tool', async () => {
    await installed('@storey/sdk', '1.17.0')
    expect(await checkSdkVersion(folder, '1.17.0', '1.16.0')).toMatchObject({ fix: 'install svc 1.17.0 or later' })
  })

  it('[CLI-36] fails when the SDK is not installed', async () => {
    expect(await checkSdkVersion(folder, '1.14.0', '1.14.0')).toMatchObject({ state: 'fail', fix: 'npm install' })
  })
})

describe('the scripts', () => {
  it('pass when dev:remote and serve:remote exist', async () => {
    await put('package.json', { scripts: { 'dev:remote': 'a', 'serve:remote': 'b' } })
    expect(checkScripts(await packageJson(), 'linux')).toMatchObject({ state: 'ok' })
  })

  it('[CLI-36] fail in a project created with 1.13.0 or earlier, and the check names the lines to add', async () => {
    await put('package.json', { scripts: { build: 'vite build' } })
    const check = checkScripts(await packageJson(), 'linux')
    expect(check).toMatchObject({ state: 'fail', found: expect.stringContaining('svc 1.13.0 or earlier') })
    expect(check.fix).toContain('"serve:remote": "vite build && vite preview --port 6001 --strictPort"')
    expect(check.fix).toContain('"dev:remote"')
    expect(checkScripts(await packageJson(), 'win32').fix).toContain('start /b')
  })

  it('[CLI-36] fail without a package.json', async () => {
    expect(checkScripts(await packageJson(), 'linux')).toMatchObject({ state: 'fail' })
  })
})

describe('React', () => {
  const shared = (requiredVersion: string) => ({ state: 'shared', requiredVersion }) as const

  it('passes with the shell’s major version of React, also if it is not known whether the build shares React', async () => {
    await put('package.json', { dependencies: { react: '^19.2.0' } })
    await installed('react', '19.2.4')
    expect(await checkReact(folder, await packageJson(), shared('^19.0.0'))).toMatchObject({ state: 'ok' })
    expect(await checkReact(folder, await packageJson(), { state: 'unseen' })).toMatchObject({ state: 'ok' })
  })

  it('[CLI-36] fails for another major version, a second copy, and a range without the shell’s major version', async () => {
    await put('package.json', { dependencies: { react: '^19.2.0' } })
    await installed('react', '19.2.4')
    const own = await checkReact(folder, await packageJson(), { state: 'own' })
    expect(own).toMatchObject({ state: 'fail', fix: expect.stringContaining('import: false') })
    expect(await checkReact(folder, await packageJson(), shared('^18.2.0'))).toMatchObject({ state: 'fail' })
    await installed('react', '18.3.1')
    const old = await checkReact(folder, await packageJson(), shared('^19.0.0'))
    expect(old).toMatchObject({ state: 'fail', fix: 'npm install react@^19 react-dom@^19' })
  })

  it('[CLI-36] fails when it is not a dependency or not installed', async () => {
    await put('package.json', { dependencies: {} })
    expect(await checkReact(folder, await packageJson(), { state: 'unseen' })).toMatchObject({ state: 'fail' })
    await put('package.json', { dependencies: { react: '^19.2.0' } })
    expect(await checkReact(folder, await packageJson(), { state: 'unseen' })).toMatchObject({
      state: 'fail',
      fix: 'npm install',
    })
  })

  it.each([
    ['^19.0.0', true],
    ['~19.1', true],
    ['>=18', true],
    ['>=18 <20', true],
    ['18 || 19', true],
    ['*', true],
    ['^18.2.0', false],
    ['<19', false],
    ['>=20', false],
    ['>= 18', true],
    ['>= 18 < 19', false],
    ['^ 19.1.0', true],
    ['>18', true],
    ['>19', false],
    ['>19.x', false],
    ['>19.1', true],
    ['<19.x', false],
    ['<19.0.0', false],
    ['<19.2', true],
    ['18 - 20', undefined],
    ['18 - 20 || 19', true],
    ['npm:preact@10', undefined],
  ])('with the range %s can be version 19.x: %s', (range, verdict) => {
    expect(admitsMajor(range, 19)).toBe(verdict)
  })
})

it.each([
  ['v20.18.3', false],
  ['v20.19.0', true],
  ['v22.11.0', false],
  ['v21.7.0', false],
  ['v22.12.0', true],
  ['v24.0.0', true],
])('Node %s runs the scripts: %s', (version, verdict) => {
  expect(runsVite(version)).toBe(verdict)
})
