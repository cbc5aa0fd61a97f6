import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const DEPLOY = join(import.meta.dirname, '..', 'deploy')

/**
 * Writes a configuration file of `deploy/` with other ports, names and paths. Every text to be replaced must occur in
 * the file, so that no replacement is left out unnoticed when the file changes.
 */
export function writeDeployFile(file: string, to: string, replacements: Record<string, string>): string {
  let text = readFileSync(join(DEPLOY, file), 'utf8')
  for (const [from, replacement] of Object.entries(replacements)) {
    if (!text.includes(from)) throw new Error(`deploy/${file} does not contain ${from}`)
    text = text.replaceAll(from, replacement)
  }
  writeFileSync(to, text)
  return to
}
