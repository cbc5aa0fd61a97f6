import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options?: { type: 'minor' } | { type: 'major'; flavor: 'last-resort' }) => void

let collect: Collect | undefined

function collector(): Collect {
  if (collect === undefined) {
    // The flag can be set while the process runs.
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  return collect
}

/**
 * Runs the garbage collector. V8 runs it only when memory is allocated, so without this call an idle thread would keep
 * its last buffers for as long as it is idle.
 */
export function collectGarbage(): void {
  collector()()
}

/**
 * Collects everything that can be freed, and returns to the system the memory of the young generation, which a plain
 * collection keeps. This takes at least twice as long as a plain collection, so it is for times without requests.
 */
export function releaseMemory(): void {
  collector()({ type: 'major', flavor: 'last-resort' })
}

/**
 * V8 frees compiled code that was not executed for six collections of the whole heap, and `releaseMemory` runs at least
 * two of them. A flag of V8 could lower the number six for a moment. It is not used, because flags apply to all
 * threads, and a change during a collection in another thread crashed the process.
 */
const RELEASES_FOR_CODE = 3

/** Also frees compiled code. V8 compiles a function again when it is called. */
export function releaseMemoryAndCode(): void {
  for (let i = 0; i < RELEASES_FOR_CODE; i++) releaseMemory()
}

/** A collection after this many bytes takes about 0.5 ms. */
const COLLECT_EVERY_BYTES = 4 * 1024 * 1024

let usedBytes = 0

/**
 * Counts bytes of buffers that are used once, such as those of bodies, and frees them now and then by a collection of
 * the young generation only. Otherwise V8, which counts buffers as old memory, would collect the whole heap after every
 * 9 MB of them, which took about 50 ms in the gateway.
 */
export function noteUsed(bytes: number): void {
  usedBytes += bytes
  if (usedBytes < COLLECT_EVERY_BYTES) return
  usedBytes = 0
  collector()({ type: 'minor' })
}
