import { type ChildProcess, spawn } from 'node:child_process'
import { STACK_CONFIG_VARIABLE } from '@storey/contract'

export interface StackProcessOptions {
  /** The stack's program, run with one of its commands. */
  program: string
  /** The folder of Node's compile cache. The cache halves the time of a start. */
  compileCache: string
  memoryLimitMb: number
  /** The environment variables that stacks get. */
  environment: Readonly<Record<string, string>>
}

export interface StackProcess {
  /** The working folder; that of this process if absent. */
  cwd?: string
  /** The system user and group of the stack; those of this process if absent. */
  uid?: number
  gid?: number
  /** If absent, the process gets its configuration later. */
  config?: object
}

/**
 * Starts processes of the stack's program. All have the same flags, because V8 rejects code in the compile cache that
 * was compiled with other flags.
 */
export function createStackSpawner({ program, compileCache, memoryLimitMb, environment }: StackProcessOptions) {
  const heapMb = Math.floor(memoryLimitMb * 0.75)
  // Request bodies are stored outside the heap, and with a small heap every few bodies trigger a garbage collection. If
  // the heap may double between two collections, a stack under load needs 20 % less CPU time. Without
  // `--max-semi-space-size` the young generation would grow to 128 MB. Without `--no-allocation-site-pretenuring` V8
  // would, after some load, allocate the objects of HTTP requests in the old generation. Everything that they refer to
  // would stay in memory until the whole heap is collected, and each collection of the young generation would move more
  // objects: this took a sixth of the CPU time of webhook deliveries. With `--flush-baseline-code` an idle stack frees
  // all compiled code that it does not use (`collect-garbage.ts`).
  const flags = [
    `--max-old-space-size=${heapMb}`,
    '--heap-growing-percent=100',
    '--max-semi-space-size=16',
    '--no-allocation-site-pretenuring',
    '--flush-baseline-code',
  ]
  return {
    run: (command: 'seed' | 'serve' | 'spare', { config, ...process_ }: StackProcess): ChildProcess =>
      spawn(process.execPath, [...flags, program, command], {
        ...process_,
        // The environment of this process is not passed on, because it holds the master secret and the database
        // address.
        env: {
          ...environment,
          TZ: 'UTC',
          // Without this limit each thread keeps a malloc arena of its own, which takes memory.
          MALLOC_ARENA_MAX: '2',
          // With these thresholds malloc returns large freed buffers to the system. Otherwise fragmentation would keep
          // them in the process.
          MALLOC_MMAP_THRESHOLD_: '131072',
          MALLOC_TRIM_THRESHOLD_: '262144',
          NODE_COMPILE_CACHE: compileCache,
          ...(config === undefined ? {} : { [STACK_CONFIG_VARIABLE]: JSON.stringify(config) }),
        },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      }),
    /** Compiles the stack's code and exits. */
    warm: (): ChildProcess =>
      spawn(process.execPath, [...flags, program, 'warm'], {
        env: { NODE_COMPILE_CACHE: compileCache },
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      }),
  }
}
