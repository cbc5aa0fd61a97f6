import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { unreleasedVersion, withRelease } from './changelog.ts'
import { readEntries } from './entries.ts'
import { run, runChangesets } from './run.ts'
import { VERSION_PLACES } from './version-places.ts'

// `npm run release:version`: moves the entries of `.changeset` to CHANGELOG.md. `@changesets/cli` computes the next
// version from them and writes it into the packages; this script updates everything else that names the version. The
// first release keeps the version of the packages, because no registry has it yet.

function replaceIn(file: string, pattern: RegExp, by: string): void {
  const text = readFileSync(file, 'utf8')
  if (!pattern.test(text)) throw new Error(`${file} has no version to replace`)
  writeFileSync(file, text.replace(pattern, by))
}

function versionOf(file: string): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

function raiseVersion(): string {
  runChangesets('version')
  const version = versionOf('packages/contract/package.json')
  for (const { file, pattern } of VERSION_PLACES) replaceIn(file, pattern, version)
  run(process.execPath, '--conditions=source', 'packages/sdk/scripts/write-wire.ts')
  run('npm', 'install', '--package-lock-only', '--loglevel=error')
  run(process.execPath, 'scripts/lock.ts', '--write')
  return version
}

const entries = readEntries()
const lines = entries.map(({ text }) => text).filter((text) => text !== '')
const changelog = readFileSync('CHANGELOG.md', 'utf8')
const isFirst = unreleasedVersion(changelog) !== undefined
if (lines.length === 0 && !isFirst) {
  process.stderr.write('.changeset has no entry: create one with npm run changeset.\n')
  process.exit(1)
}
const version = isFirst ? versionOf('package.json') : raiseVersion()
const today = new Date().toISOString().slice(0, 10)
writeFileSync('CHANGELOG.md', withRelease(changelog, version, today, lines))
// `changeset version` has removed them already, unless this is the first release.
for (const { file } of entries) rmSync(file, { force: true })
process.stdout.write(
  `The version is now ${version}. Read CHANGELOG.md, commit as "release: ${version}" and open a pull request.\n`,
)
