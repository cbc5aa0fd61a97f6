import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = '.changeset'
const FRONT_MATTER = /^\s*---[\s\S]*?\n\s*---\s*/

export interface Entry {
  file: string
  /** The sentences for CHANGELOG.md. An entry of a change that users do not notice has none. */
  text: string
}

/**
 * The entries that are not in CHANGELOG.md yet. They are not read with `changeset status`, because it fails if there is
 * none, and in a clone without a branch `main`.
 */
export function readEntries(): Entry[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.md') && name !== 'README.md')
  return names.sort().map((name) => {
    const file = join(FOLDER, name)
    const content = readFileSync(file, 'utf8')
    if (!FRONT_MATTER.test(content)) throw new Error(`${file} does not start with the packages between two lines "---"`)
    return { file, text: content.replace(FRONT_MATTER, '').trim() }
  })
}
