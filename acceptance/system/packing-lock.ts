import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withLock } from '../../scripts/install/lock.mjs'

const LOCK = join('node_modules', '.cache', 'packing.pid')

/** Packing replaces the package.json of the package for a while, so only one process may pack at a time. */
export async function withPackingLock<T>(work: () => T): Promise<T> {
  mkdirSync(dirname(LOCK), { recursive: true })
  return await withLock(LOCK, 'packing', work, () => undefined)
}
