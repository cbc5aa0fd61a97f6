import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Programs that the acceptance tests start besides Node, npm and Chromium, and the packages that have them. */
const NEEDED = { bash: 'bash', script: 'util-linux' }

/** A sentence that names what is missing. Windows is not checked, because its programs have other names. */
export function missingPrograms(
  path = process.env.PATH ?? '',
  platform: string = process.platform,
): string | undefined {
  if (platform === 'win32') return undefined
  const folders = path.split(delimiter)
  const missing = Object.entries(NEEDED).filter(([name]) => !folders.some((folder) => existsSync(join(folder, name))))
  if (missing.length === 0) return undefined
  const names = missing.map(([name, from]) => `${name} (package ${from})`).join(' and ')
  return `The acceptance tests need ${names}. Install what is missing, then run the tests again.`
}
