import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { cacheFolder, EngineMissing } from './cache.ts'

/** A program, and the environment that it needs to find its libraries. */
export interface Program {
  path: string
  env: Record<string, string>
}

const PROGRAM_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']
const UNPACKED_FOLDERS = ['usr/sbin', 'usr/bin', 'usr/games', 'sbin', 'bin']

/**
 * Finds a program on the system, or fetches its Debian package with all packages that it needs. They are unpacked into the
 * cache and not installed, so that no service starts and no root is needed.
 */
export function debianProgram(name: string, packageName = name): Program {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...PROGRAM_FOLDERS]
  const installed = folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
  if (installed !== undefined) return { path: installed, env: {} }
  const root = unpackedPackage(packageName)
  const path = UNPACKED_FOLDERS.map((folder) => join(root, folder, name)).find((each) => existsSync(each))
  if (path === undefined) throw new EngineMissing(`The Debian package ${packageName} has no program ${name}`)
  return { path, env: { LD_LIBRARY_PATH: libraryFolders(root).join(delimiter) } }
}

/** The folder into which a Debian package and all packages that it needs are unpacked. */
export function unpackedPackage(packageName: string): string {
  const folder = cacheFolder('debian', packageName)
  const [archives, root, done] = [join(folder, 'archives'), join(folder, 'root'), join(folder, 'done')]
  if (existsSync(done)) return root
  if (spawnSync('apt-get', ['--version']).status !== 0)
    throw new EngineMissing(`${packageName} is not installed, and there is no apt-get to fetch it`)
  mkdirSync(join(archives, 'partial'), { recursive: true })
  mkdirSync(root, { recursive: true })
  process.stdout.write(`Fetching the Debian package ${packageName}…\n`)
  const options = ['-o', `Dir::Cache::archives=${archives}`, '-o', 'Debug::NoLocking=1', '-o', 'APT::Sandbox::User=']
  const args = ['install', '-qq', '--yes', '--download-only', '--no-install-recommends', ...options, packageName]
  const { status, stderr } = spawnSync('apt-get', args, { encoding: 'utf8' })
  if (status !== 0) throw new EngineMissing(`apt-get could not fetch ${packageName}: ${stderr.trim()}`)
  for (const file of readdirSync(archives).filter((each) => each.endsWith('.deb')))
    execFileSync('dpkg-deb', ['-x', join(archives, file), root])
  writeFileSync(done, '')
  return root
}

/** The folders of an unpacked package in which its libraries are. */
export function libraryFolders(root: string): string[] {
  const folders = ['usr/lib', 'lib'].map((each) => join(root, each)).filter((each) => existsSync(each))
  const ofMachine = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((each) => each.endsWith('-linux-gnu'))
      .map((each) => join(folder, each)),
  )
  return [...ofMachine, ...folders]
}
