import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

function* filesOf(path: string): Generator<string> {
  if (!existsSync(path)) return
  if (statSync(path).isFile()) return yield path
  for (const name of readdirSync(path).sort()) {
    if (name !== 'dist' && name !== 'node_modules' && !/\.test\.tsx?$/.test(name)) yield* filesOf(join(path, name))
  }
}

/** A hash of these files and folders, without tests and build output. */
export function hashOfSources(paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of paths.flatMap((path) => [...filesOf(path)])) hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}
