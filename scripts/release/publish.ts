import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { unreleasedVersion } from './changelog.ts'
import { readEntries } from './entries.ts'
import { publishPackages } from './publish-packages.ts'
import { run } from './run.ts'

// `npm run release:publish`: publishes the packages that the registry does not have yet, and adds one tag for all.

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const isUnreleased = unreleasedVersion(readFileSync('CHANGELOG.md', 'utf8')) !== undefined
const hasEntries = readEntries().some(({ text }) => text !== '')
if (isUnreleased || hasEntries) {
  const what = isUnreleased ? `CHANGELOG.md marks ${version} as unreleased` : '.changeset has entries'
  process.stderr.write(`${what}: merge the result of npm run release:version first.\n`)
  process.exit(1)
}
publishPackages()
const tag = `v${version}`
const { status } = spawnSync('git', ['rev-parse', '--verify', '--quiet', `refs/tags/${tag}`])
if (status === 0) process.stdout.write(`The tag ${tag} exists already.\n`)
else
  run('git', '-c', 'user.name=Storey', '-c', 'user.email=storey@localhost', 'tag', '-a', tag, '-m', `Storey ${version}`)
