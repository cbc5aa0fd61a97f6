import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Watch } from './guard.ts'

/** What the program consists of: this package, and the one that draws. */
const PROGRAM_FOLDERS = [new URL('../..', import.meta.url), new URL('.', import.meta.resolve('web-ifc'))].map(
  (folder) => fileURLToPath(folder),
)
const GUARD = fileURLToPath(new URL('./guard.ts', import.meta.url))
/** Memory of WebAssembly is counted in pages of 64 KB. */
const PAGES_PER_MB = 16

/**
 * Starts a program that looks at a file of a stranger's. It may read that file and itself. It may write nothing, start no
 * process and no thread, load no native code, and gets no environment. It has no network where the system lets a process
 * give it up.
 */
export function startConfined(program: string, file: string, memoryMb: number): ChildProcess {
  const flags = [
    `--max-old-space-size=${memoryMb}`,
    `--wasm-max-mem-pages=${memoryMb * PAGES_PER_MB}`,
    '--permission',
    ...[...PROGRAM_FOLDERS, file].map((path) => `--allow-fs-read=${path}`),
  ]
  const [command, ...args] = [...withoutNetwork(), process.execPath, ...flags, program]
  return spawn(command!, args, { cwd: parse(program).root, env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
}

/**
 * Starts a process that ends another one which takes too much memory, or whose starter is gone. It runs no code but ours,
 * and sees nothing of the file. Resolves when it watches.
 */
export async function startGuard({ pid }: ChildProcess, memoryMb: number): Promise<ChildProcess> {
  if (pid === undefined) throw new Error('it did not start')
  const guard = fork(GUARD, [], {
    execArgv: ['--max-old-space-size=32'],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  await new Promise<void>((resolve, reject) => {
    guard.once('message', () => resolve())
    guard.once('error', reject)
    guard.once('exit', () => reject(new Error('the guard ended')))
    guard.send({ pid, memoryMb } satisfies Watch)
  })
  return guard
}

/** Whether the program has no network at all, or only none of ours to use: the system decides. */
export const hasNetwork = (): boolean => withoutNetwork().length === 0

const UNSHARE = ['/usr/bin/unshare', '/bin/unshare']
let wrapper: string[] | undefined

/**
 * On Linux a process may move to a network of its own, in which nothing is: with a namespace of users, which gives it no
 * right that it had not. Systems that forbid this to ordinary users, and others, let it keep the network.
 */
function withoutNetwork(): string[] {
  wrapper ??= findWrapper()
  return wrapper
}

function findWrapper(): string[] {
  const program = UNSHARE.find((path) => existsSync(path))
  if (process.platform !== 'linux' || program === undefined) return []
  const wrapped = [program, '--user', '--net', '--']
  const { status } = spawnSync(wrapped[0]!, [...wrapped.slice(1), process.execPath, '--version'], { stdio: 'ignore' })
  return status === 0 ? wrapped : []
}
