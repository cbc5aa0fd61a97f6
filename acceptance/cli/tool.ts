import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { hashOfSources } from '../../scripts/build/hash-of-sources.mjs'
import { withPackingLock } from '../system/packing-lock.ts'

/** The sources of the tool, and of its packing. */
const SOURCES = [
  ...['cli', 'sdk', 'contract', 'building'].flatMap((name) => [
    `packages/${name}/src`,
    `packages/${name}/package.json`,
  ]),
  ...[
    'packages/cli/templates',
    'packages/cli/README.md',
    'scripts/packing',
    'scripts/build-package.ts',
    'packages/sdk/README.md',
  ],
]

/**
 * The folder of the tool as a user gets it: packed by npm and installed into an empty folder. It is built once per
 * version of its sources.
 */
export async function installedTool(): Promise<string> {
  const cache = resolve('node_modules', '.cache', 'svc')
  mkdirSync(cache, { recursive: true })
  return await withPackingLock(() => {
    const folder = join(cache, hashOfSources(SOURCES).slice(0, 20))
    return existsSync(folder) ? folder : install(cache, folder)
  })
}

function install(cache: string, folder: string): string {
  const work = mkdtempSync(join(cache, 'making-'))
  // The output of npm is part of the error if it fails.
  const npm = (...args: string[]) => execFileSync('npm', [...args, '--silent'], { stdio: 'pipe' })
  npm('pack', '-w', 'packages/cli', '--pack-destination', work)
  const [tarball] = readdirSync(work)
  // The native keyring is optional, and the only part that needs the network.
  npm('install', join(work, tarball!), '--prefix', work, '--omit=optional', '--offline', '--no-audit', '--no-fund')
  for (const old of readdirSync(cache).map((name) => join(cache, name))) {
    if (isOld(old)) rmSync(old, { recursive: true, force: true })
  }
  renameSync(work, folder)
  return folder
}

/** Only folders older than an hour are removed, because a concurrent run with other sources may use a newer one. */
function isOld(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > 3_600_000
}

export const TOOL = join(await installedTool(), 'node_modules', '@storey', 'cli', 'dist', 'svc.js')

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  env?: Record<string, string>
  cwd?: string
  /** Called with the whole output so far whenever there is more. */
  onOutput?: (text: string, running: Running) => void
  limitMs?: number
}

export interface Running {
  pid: number
  type(text: string): void
  signal(signal: NodeJS.Signals): void
}

/** An environment with an empty home folder and the PATH of this machine. */
export function newHome(): Record<string, string> {
  const home = temporaryFolder('svc-home')
  return { PATH: process.env.PATH!, HOME: home, XDG_CONFIG_HOME: join(home, 'config'), SVC_SDK_TOKEN_STORE: 'file' }
}

/** Runs the tool in a pipe. */
export const svc = (words: readonly string[], options: RunOptions = {}): Promise<Ended> =>
  execute(process.execPath, [TOOL, ...words], options)

/** Runs the tool on a pseudo-terminal, which merges stdout and stderr. */
export function svcOnTerminal(words: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const command = [process.execPath, TOOL, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const env = { TERM: 'xterm-256color', SHELL: '/bin/sh', ...options.env }
  return execute('script', ['-qefc', command, '/dev/null'], { ...options, env })
}

export async function execute(program: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  return await launch(program, args, options).ended
}

/** Starts the tool in a pipe and returns while it runs. */
export const start = (words: readonly string[], options: RunOptions = {}): Running & { ended: Promise<Ended> } =>
  launch(process.execPath, [TOOL, ...words], options)

/** Starts the tool as the alias of a clone does: `scripts/svc.mjs` runs the tool in another process. */
export const startInClone = (words: readonly string[], options: RunOptions = {}): Running & { ended: Promise<Ended> } =>
  launch(process.execPath, [resolve('scripts', 'svc.mjs'), ...words], options)

/** `ended` resolves when the output is closed, and so after every process that may write to it has ended. */
function launch(program: string, args: readonly string[], options: RunOptions): Running & { ended: Promise<Ended> } {
  const { env = {}, cwd = tmpdir(), onOutput, limitMs = 60_000 } = options
  const child = spawn(program, args, { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs)
  const running: Running = {
    pid: child.pid!,
    type: (text) => child.stdin.write(text),
    signal: (signal) => child.kill(signal),
  }
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
      onOutput?.(text.stdout + text.stderr, running)
    })
  }
  child.stdin.on('error', () => undefined)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(limit)
      resolve({ code, ...text })
    })
  })
  return { ...running, ended }
}
