import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOfSources } from './hash-of-sources.ts'

/** Builds into a folder if its sources have changed since the last build. */
export async function buildIfChanged(
  name: string,
  folder: string,
  sources: readonly string[],
  build: () => Promise<void>,
): Promise<void> {
  const stamp = join(folder, '.made-of')
  const wanted = hashOfSources(sources)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  process.stderr.write(`Building the ${name}…\n`)
  await build()
  writeFileSync(stamp, wanted)
}
