import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** @returns {Generator<string>} */
function* filesOf(/** @type {string} */ root, /** @type {string} */ path) {
  const full = join(root, path)
  if (!existsSync(full)) return
  if (statSync(full).isFile()) return yield path
  for (const name of readdirSync(full).sort()) {
    if (name !== 'dist' && name !== 'node_modules' && !/\.test\.tsx?$/.test(name))
      yield* filesOf(root, join(path, name))
  }
}

/**
 * A hash of these files and folders below `root`, without tests and build output.
 *
 * @param {readonly string[]} paths
 * @returns {string}
 */
export function hashOfSources(paths, root = '.') {
  const hash = createHash('sha256')
  for (const file of paths.flatMap((path) => [...filesOf(root, path)])) {
    hash.update(file).update(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}

/**
 * The name of the build of a program from these sources.
 *
 * @param {readonly string[]} sources
 */
export const buildName = (sources, root = '.') => hashOfSources(sources, root).slice(0, 16)
