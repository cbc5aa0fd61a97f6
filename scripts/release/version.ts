import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withRelease } from './changelog.ts'
import { VERSION_PLACES } from './version-places.ts'

// `npm run release:version`: applies the entries of `.changeset`. The tool `@changesets/cli` computes the next version
// and writes it into the packages; this script updates everything else that names the version.

const CHANGESETS = join('node_modules', '@changesets', 'cli', 'bin.js')

function run(program: string, ...args: string[]): void {
  const { status } = spawnSync(program, args, {
    stdio: 'inherit',
    shell: program === 'npm' && process.platform === 'win32',
  })
  if (status !== 0) process.exit(1)
}

function replaceIn(file: string, pattern: RegExp, by: string): void {
  const text = readFileSync(file, 'utf8')
  if (!pattern.test(text)) throw new Error(`${file} has no version to replace`)
  writeFileSync(file, text.replace(pattern, by))
}

function entries(): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'storey-release-'))
  const file = join(folder, 'status.json')
  run(process.execPath, CHANGESETS, 'status', `--output=${file}`)
  const { changesets } = JSON.parse(readFileSync(file, 'utf8')) as { changesets: { summary: string }[] }
  rmSync(folder, { recursive: true })
  return changesets.map(({ summary }) => summary.trim()).filter((summary) => summary !== '')
}

const lines = entries()
if (lines.length === 0) {
  process.stderr.write('.changeset has no entry: create one with npm run changeset.\n')
  process.exit(1)
}
run(process.execPath, CHANGESETS, 'version')
const { version } = JSON.parse(readFileSync('packages/contract/package.json', 'utf8')) as { version: string }
for (const { file, pattern } of VERSION_PLACES) replaceIn(file, pattern, version)
const today = new Date().toISOString().slice(0, 10)
writeFileSync('CHANGELOG.md', withRelease(readFileSync('CHANGELOG.md', 'utf8'), version, today, lines))
run(process.execPath, '--conditions=source', 'packages/sdk/scripts/write-wire.ts')
run('npm', 'install', '--package-lock-only', '--loglevel=error')
run(process.execPath, 'scripts/lock.ts', '--write')
process.stdout.write(
  `The version is now ${version}. Read CHANGELOG.md, commit as "release: ${version}" and open a pull request.\n`,
)
