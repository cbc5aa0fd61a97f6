import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  copy,
  type Manifest,
  plainEnvironment,
  readJson,
  releaseFolder,
  runScript,
  write,
} from './testing/release-folder.ts'
import { VERSION_PLACES } from './version-places.ts'

const { version } = readJson('package.json') as { version: string }
const [major, minor] = version.split('.').map(Number)
const NEXT = `${major}.${minor! + 1}.0`
const TODAY = /\d{4}-\d\d-\d\d/
const OFFLINE = { ...plainEnvironment(), NPM_CONFIG_OFFLINE: 'true' }

/** Only packages of this repository are left as dependencies, so that the lock file is written without a registry. */
function ownDependencies({ name, version, private: isPrivate, workspaces, devDependencies }: Manifest): Manifest {
  const own = Object.entries((devDependencies ?? {}) as Manifest).filter(
    ([dependency]) => dependency === '@storey/contract' || dependency === '@storey/sdk',
  )
  return { name, version, private: isPrivate, workspaces, devDependencies: Object.fromEntries(own) }
}

function folderToVersion(changelog: string): string {
  const folder = releaseFolder(ownDependencies)
  write(folder, 'CHANGELOG.md', changelog)
  for (const { file } of VERSION_PLACES) if (file !== 'package.json') copy(folder, file)
  // They update files that this folder does not have.
  for (const file of ['packages/sdk/scripts/write-wire.ts', 'scripts/lock.ts']) write(folder, file, '')
  return folder
}

function addEntry(folder: string, name: string, kind: string, text: string): void {
  write(folder, `.changeset/${name}.md`, `---\n'@storey/sdk': ${kind}\n---\n\n${text}\n`)
}

/** The files of the folder that the script may change. The day of a release is replaced by a word. */
function stateOf(folder: string) {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  return {
    changelog: read('CHANGELOG.md').replace(TODAY, 'today'),
    entries: readdirSync(join(folder, '.changeset')).filter((name) => !['README.md', 'config.json'].includes(name)),
    versions: new Set([
      ...['contract', 'sdk', 'cli'].map((name) => JSON.parse(read(`packages/${name}/package.json`)).version),
      ...VERSION_PLACES.map(({ file, pattern }) => read(file).match(pattern)![0]),
    ]),
  }
}

describe('the first release', () => {
  const UNRELEASED = `# Changes\n\n## ${version}, unreleased\n\n- The first.\n`

  it('keeps the version, and needs no entry', async () => {
    const folder = folderToVersion(UNRELEASED)
    const { code, output } = await runScript('version.ts', folder)
    expect(output).toContain(`The version is now ${version}.`)
    expect(code).toBe(0)
    expect(stateOf(folder)).toEqual({
      changelog: `# Changes\n\n## ${version}, today\n\n- The first.\n`,
      entries: [],
      versions: new Set([version]),
    })
  })

  it('has the entries above the text that was written by hand; the next release has a version and a section of its own', async () => {
    const folder = folderToVersion(UNRELEASED)
    addEntry(folder, 'brave-mice-dance', 'major', 'Rooms have colours.')
    addEntry(folder, 'calm-owls-sing', 'patch', 'Walls are\nthicker.')
    expect((await runScript('version.ts', folder)).code).toBe(0)
    const first = `## ${version}, today\n\n- Rooms have colours.\n- Walls are\n  thicker.\n- The first.\n`
    expect(stateOf(folder)).toEqual({ changelog: `# Changes\n\n${first}`, entries: [], versions: new Set([version]) })

    write(folder, 'CHANGELOG.md', `# Changes\n\n${first}`)
    addEntry(folder, 'quick-cats-jump', 'minor', 'Doors open.')
    const { code, output } = await runScript('version.ts', folder, OFFLINE)
    expect(output).toContain(`The version is now ${NEXT}.`)
    expect(code).toBe(0)
    expect(stateOf(folder)).toEqual({
      changelog: `# Changes\n\n## ${NEXT}, today\n\n- Doors open.\n\n${first}`,
      entries: [],
      versions: new Set([NEXT]),
    })
    const { packages } = readJson(join(folder, 'package-lock.json')) as { packages: Record<string, Manifest> }
    expect(packages['packages/sdk']).toMatchObject({ version: NEXT, devDependencies: { '@storey/contract': NEXT } })
  })
})

describe('a release', () => {
  const RELEASED = `# Changes\n\n## ${version}, 2026-11-20\n\n- The first.\n`

  it('needs an entry', async () => {
    const folder = folderToVersion(RELEASED)
    const refused = { code: 1, output: '.changeset has no entry: create one with npm run changeset.\n' }
    expect(await runScript('version.ts', folder)).toEqual(refused)
    write(folder, '.changeset/empty-one.md', '---\n---\n')
    expect(await runScript('version.ts', folder)).toEqual(refused)
    expect(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')).toBe(RELEASED)
  })

  it('is refused with an entry that names no packages', async () => {
    const folder = folderToVersion(RELEASED)
    write(folder, '.changeset/brave-mice-dance.md', 'Rooms have colours.\n')
    const { code, output } = await runScript('version.ts', folder)
    expect(code).toBe(1)
    expect(output).toContain('brave-mice-dance.md does not start with the packages')
  })
})
