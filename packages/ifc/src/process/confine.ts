import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Watch } from './guard.ts'

/** The code of the program: this package and web-ifc. */
const PROGRAM_FOLDERS = [new URL('../..', import.meta.url), new URL('.', import.meta.resolve('web-ifc'))].map(
  (folder) => fileURLToPath(folder),
)
const GUARD = fileURLToPath(new URL('./guard.ts', import.meta.url))
/** Memory of WebAssembly is counted in pages of 64 KB. */
const PAGES_PER_MB = 16

/**
 * Starts a program that reads an untrusted file. It may read only that file and its own code. It may not write, start
 * processes or threads, or load native code, and it gets no environment variables. It has no network access if Node can
 * deny network access, or if the system can start a process without network access.
 */
export function startConfined(program: string, file: string, memoryMb: number): ChildProcess {
  const flags = [
    `--max-old-space-size=${memoryMb}`,
    `--wasm-max-mem-pages=${memoryMb * PAGES_PER_MB}`,
    '--permission',
    ...[...PROGRAM_FOLDERS, file].map((path) => `--allow-fs-read=${path}`),
  ]
  const [command, ...args] = [...withoutNetwork(), process.execPath, ...flags, program]
  return spawn(command!, args, { cwd: parse(program).root, env: {}, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
}

/**
 * Starts a guard process for a reader, which is a program that `startConfined` has started. The guard ends the reader
 * when the reader takes too much memory, or when the process that started both has ended. The guard does not read the
 * file. Resolves when the guard is watching.
 */
export async function startGuard({ pid }: ChildProcess, memoryMb: number): Promise<ChildProcess> {
  if (pid === undefined) throw new Error('the reader did not start')
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

/**
 * Makes the OOM killer of Linux choose the reader before its parent process. The parent process sets the score, because
 * the reader may not write files.
 */
export function raiseOomScore({ pid }: ChildProcess): void {
  const file = `/proc/${pid}/oom_score_adj`
  try {
    writeFileSync(file, `${Math.min(Number(readFileSync(file, 'utf8')) + 300, 1_000)}`)
  } catch {
    // The score stays as it is, for example outside Linux.
  }
}

/** Whether confined programs can use the network, because neither Node nor the system can deny it. */
export const hasNetwork = (): boolean => !deniesNetwork && withoutNetwork().length === 0

/** A Node that knows this flag denies the network to a program with `--permission`. */
const deniesNetwork = process.allowedNodeEnvironmentFlags.has('--allow-net')

const UNSHARE = ['/usr/bin/unshare', '/bin/unshare']
let wrapper: string[] | undefined

/**
 * The command that starts a program without network access, or an empty list if the system has none. On Linux it is
 * `unshare`, which moves the program to an empty network namespace. That needs a user namespace, which gives the
 * program no additional rights, and which some systems allow only to root.
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
