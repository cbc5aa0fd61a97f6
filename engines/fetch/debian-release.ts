import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder, EngineMissing } from './cache.ts'
import { libraryFolders, type Program } from './debian.ts'

const MIRROR = 'http://deb.debian.org/debian'
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * A program of another Debian release than that of this machine. Its package is unpacked with all packages that it
 * needs, the C library and its loader among them, and nothing is installed.
 */
export function programOfRelease(release: string, name: string, packageName = name): Program {
  const folder = cacheFolder('debian', `${packageName}-${release}`)
  const [root, archives, lists, done] = ['root', 'archives', 'lists', 'done'].map((each) => join(folder, each))
  const start = join(folder, name)
  if (existsSync(done!)) return { path: start, env: {} }
  if (spawnSync('apt-get', ['--version']).status !== 0)
    throw new EngineMissing(`${packageName} of Debian ${release} is required, and there is no apt-get to fetch it`)
  for (const each of [root!, join(archives!, 'partial'), join(lists!, 'partial')]) mkdirSync(each, { recursive: true })
  process.stdout.write(`Fetching the Debian package ${packageName} of ${release}…\n`)
  const [sources, status] = [join(folder, 'sources.list'), join(folder, 'status')]
  writeFileSync(sources, `deb [signed-by=${KEYRING}] ${MIRROR} ${release} main\n`)
  // Nothing counts as installed, so that every package is fetched.
  writeFileSync(status, '')
  const options = [
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State::lists=${lists}`,
    `Dir::State::status=${status}`,
    `Dir::Cache::archives=${archives}`,
    'Dir::Cache::pkgcache=',
    'Dir::Cache::srcpkgcache=',
    'Debug::NoLocking=1',
    'APT::Sandbox::User=',
  ].flatMap((each) => ['-o', each])
  for (const args of [
    ['update', '-qq', ...options],
    ['install', '-qq', '--yes', '--download-only', '--no-install-recommends', ...options, packageName],
  ]) {
    const { status: code, stderr } = spawnSync('apt-get', args, { encoding: 'utf8' })
    if (code !== 0) throw new EngineMissing(`apt-get could not fetch ${packageName} of ${release}: ${stderr.trim()}`)
  }
  for (const file of readdirSync(archives!).filter((each) => each.endsWith('.deb')))
    execFileSync('dpkg-deb', ['-x', join(archives!, file), root!])
  const loader = libraryFolders(root!)
    .map((each) => join(each, 'ld-linux-x86-64.so.2'))
    .find((each) => existsSync(each))
  const program = ['usr/sbin', 'usr/bin'].map((each) => join(root!, each, name)).find((each) => existsSync(each))
  if (loader === undefined || program === undefined)
    throw new EngineMissing(`The package ${packageName} of Debian ${release} has no ${name} for this machine`)
  const libraries = libraryFolders(root!).join(':')
  writeFileSync(start, `#!/bin/sh\nexec '${loader}' --library-path '${libraries}' '${program}' "$@"\n`)
  chmodSync(start, 0o755)
  writeFileSync(done!, '')
  return { path: start, env: {} }
}
