import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// `npm run release:publish`: publishes the packages that the registry does not have yet, and adds one tag for all.

function run(program: string, ...args: string[]): void {
  const { status } = spawnSync(program, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
run(process.execPath, join('node_modules', '@changesets', 'cli', 'bin.js'), 'publish', '--no-git-tag')
const tag = `v${version}`
const { status } = spawnSync('git', ['rev-parse', '--verify', '--quiet', `refs/tags/${tag}`])
if (status === 0) process.stdout.write(`The tag ${tag} exists already.\n`)
else
  run('git', '-c', 'user.name=Storey', '-c', 'user.email=storey@localhost', 'tag', '-a', tag, '-m', `Storey ${version}`)
