import { mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

const LOCK = join('node_modules', '.cache', 'packing.lock')

/** Packing replaces the package.json of the package for a while, so only one process may pack at a time. */
export function withPackingLock<T>(work: () => T): T {
  mkdirSync(dirname(LOCK), { recursive: true })
  for (;;) {
    try {
      mkdirSync(LOCK)
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const since = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
      // A lock of this age is from a run that was killed.
      if (Date.now() - since > 120_000) rmSync(LOCK, { recursive: true, force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    }
  }
  try {
    return work()
  } finally {
    rmSync(LOCK, { recursive: true, force: true })
  }
}
