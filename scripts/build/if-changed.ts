import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOfSources } from './hash-of-sources.mjs'

export interface Build {
  name: string
  /** Whether its sources have changed since the last build. */
  isDue: boolean
  run(): Promise<void>
}

/** Builds into a folder, which it stamps with a hash of the sources. */
export function stampedBuild(
  name: string,
  folder: string,
  sources: readonly string[],
  build: () => Promise<void>,
): Build {
  const stamp = join(folder, '.made-of')
  const wanted = hashOfSources(sources)
  return {
    name,
    isDue: !existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted,
    async run() {
      await build()
      writeFileSync(stamp, wanted)
    },
  }
}
