import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The folder in which fetched engines are kept from one run to the next. */
export function cacheFolder(...parts: string[]): string {
  const base = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
  const folder = join(base, 'storey', 'engines', ...parts)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** An engine is not available on this machine. The message names what is missing. */
export class EngineMissing extends Error {}
