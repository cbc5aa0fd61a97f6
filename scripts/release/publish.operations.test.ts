import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeRegistry, fakeRegistry, packedManifestOf } from './testing/fake-registry.ts'
import { type Manifest, plainEnvironment, readJson, releaseFolder, runScript, write } from './testing/release-folder.ts'

const { version } = readJson('package.json') as { version: string }
const PACKAGES = ['cli', 'sdk']
const REPOSITORY = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'somebody/storey' }

/** Replaces the manifest as the real packages do, and notes when; the build is left out, because it takes long. */
const PACK = `
  import { appendFileSync } from 'node:fs'
  import { restoreManifest, writePackedManifest } from ${JSON.stringify(pathToFileURL('scripts/packing/packed-manifest.ts').href)}
  const [name, step] = process.argv.slice(2)
  process.chdir('../..')
  appendFileSync('packing.log', step + ' ' + name + '\\n')
  if (step === 'prepack') writePackedManifest('packages/' + name)
  else restoreManifest('packages/' + name)
`

function packing(manifest: Manifest): Manifest {
  const name = String(manifest.name).replace('@storey/', '')
  if (!PACKAGES.includes(name)) return manifest
  const script = (step: string) => `"${process.execPath}" ../../pack.mjs ${name} ${step}`
  return { ...manifest, scripts: { prepack: script('prepack'), postpack: script('postpack') } }
}

function folderToPublish(changelog = `# Changes\n\n## ${version}, 2026-11-20\n\n- The first.\n`): string {
  const folder = releaseFolder(packing)
  write(folder, 'pack.mjs', PACK)
  write(folder, 'CHANGELOG.md', changelog)
  for (const name of PACKAGES) write(folder, `packages/${name}/dist/index.js`, 'export {}\n')
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
  git('init')
  git('-c', 'user.name=Test', '-c', 'user.email=test@localhost', 'commit', '--allow-empty', '-m', 'release')
  return folder
}

function publish(folder: string, { host }: FakeRegistry, settings: Record<string, string> = {}) {
  const npmrc = [`registry=http://${host}/`, `//${host}/:_authToken=test`, `cache=${join(folder, 'npm-cache')}`]
  write(folder, 'npmrc', `${npmrc.join('\n')}\n`)
  const env = { ...plainEnvironment(), ...REPOSITORY, NPM_CONFIG_USERCONFIG: join(folder, 'npmrc'), ...settings }
  return runScript('publish.ts', folder, env)
}

const tagsOf = (folder: string) => execFileSync('git', ['tag'], { cwd: folder, encoding: 'utf8' })

describe('a release', () => {
  let folder: string
  let registry: FakeRegistry
  let ended: Awaited<ReturnType<typeof publish>>
  const manifests = () => PACKAGES.map((name) => readFileSync(join(folder, 'packages', name, 'package.json'), 'utf8'))
  let before: string[]

  beforeAll(async () => {
    registry = await fakeRegistry()
    folder = folderToPublish()
    before = manifests()
    ended = await publish(folder, registry)
  })
  afterAll(() => registry.close())

  it('publishes and tags, and leaves the package.json of the sources as they were', () => {
    expect(ended.output).toContain('Successfully published')
    expect(ended.code).toBe(0)
    expect(registry.published.map(({ name }) => name).sort()).toEqual(['@storey/cli', '@storey/sdk'])
    expect(tagsOf(folder)).toBe(`v${version}\n`)
    expect(manifests()).toEqual(before)
  })

  it.each(PACKAGES)(
    'sends of %s the manifest that is in the tarball: with the repository, without what only the sources need',
    (name) => {
      const sent = registry.published.find((one) => one.name === `@storey/${name}`)!
      expect(sent).toMatchObject({ access: 'public', 'dist-tags': { latest: version } })
      expect(Object.keys(sent.versions)).toEqual([version])
      const metadata = sent.versions[version]!
      const tarball = Buffer.from(Object.values(sent._attachments)[0]!.data, 'base64')
      const hash = (algorithm: string) => createHash(algorithm).update(tarball)
      expect(metadata.dist.integrity).toBe(`sha512-${hash('sha512').digest('base64')}`)
      expect(metadata.dist.shasum).toBe(hash('sha1').digest('hex'))

      const manifest = packedManifestOf(tarball)
      const url = 'git+https://github.com/somebody/storey.git'
      const repository = { type: 'git', url, directory: `packages/${name}` }
      expect(manifest).toMatchObject({ name: sent.name, version, repository })
      expect(metadata).toMatchObject(manifest)
      for (const field of ['devDependencies', 'scripts', 'imports']) {
        expect(manifest).not.toHaveProperty(field)
        expect(metadata).not.toHaveProperty(field)
      }
      expect(JSON.stringify(metadata.exports ?? {})).not.toContain('"source"')
    },
  )

  it('packs one package after another', () => {
    const steps = readFileSync(join(folder, 'packing.log'), 'utf8').trim().split('\n')
    expect(steps.map((step) => step.split(' ')[0])).toEqual(['prepack', 'postpack', 'prepack', 'postpack'])
    expect(steps[1]).toBe(steps[0]!.replace('pre', 'post'))
  })

  it('does nothing for what is published and tagged already', async () => {
    const { code, output } = await publish(folder, registry)
    expect(output).toContain(`The tag v${version} exists already.`)
    expect(code).toBe(0)
    expect(registry.published).toHaveLength(2)
  })
})

describe('nothing is published', () => {
  let registry: FakeRegistry
  beforeAll(async () => {
    registry = await fakeRegistry()
  })
  afterAll(() => registry.close())

  it('if the environment asks for provenance and npm cannot give it', async () => {
    const folder = folderToPublish()
    const { code, output } = await publish(folder, registry, { NPM_CONFIG_PROVENANCE: 'true' })
    expect(output).toContain('provenance generation not supported')
    expect(code).toBe(1)
    expect(registry.published).toEqual([])
    expect(tagsOf(folder)).toBe('')
  })

  it('before `release:version` has been run', async () => {
    const unreleased = await publish(folderToPublish(`# Changes\n\n## ${version}, unreleased\n`), registry)
    expect(unreleased).toEqual({
      code: 1,
      output: `CHANGELOG.md marks ${version} as unreleased: merge the result of npm run release:version first.\n`,
    })
    const folder = folderToPublish()
    write(folder, '.changeset/brave-mice-dance.md', "---\n'@storey/sdk': patch\n---\n\nIt is faster.\n")
    const pending = await publish(folder, registry)
    expect(pending.output).toBe('.changeset has entries: merge the result of npm run release:version first.\n')
    expect(registry.published).toEqual([])
  })
})
