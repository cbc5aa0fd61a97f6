import type { Check } from './check.ts'
import { fail, ok, warn } from './check.ts'
import { installedVersion, type JsonFile } from './project.ts'
import type { SharedReact } from './read-entry.ts'
import { admitsMajor, majorOf } from './versions.ts'

const NAME = 'react'
/** The major version of the shell's React. */
const SHELL_MAJOR = 19

/** The shell provides React, so the module must support the shell's version and must not bundle its own. */
export async function checkReact(folder: string, packageJson: JsonFile, shared: SharedReact): Promise<Check> {
  const add = `npm install react@^${SHELL_MAJOR} react-dom@^${SHELL_MAJOR}`
  const range = packageJson.state === 'read' ? dependency(packageJson.value, NAME) : undefined
  if (range === undefined) return fail(NAME, 'package.json has no react', add)
  const installed = await installedVersion(folder, NAME)
  if (installed === undefined) return fail(NAME, `react ${range} is not installed`, 'npm install')
  if (majorOf(installed) !== SHELL_MAJOR) {
    return fail(NAME, `react ${installed} is installed, but the shell has React ${SHELL_MAJOR}`, add)
  }
  if (shared.state === 'own') {
    const fix = 'share react and react-dom in vite.config.ts, with singleton: true and import: false, then build again'
    return fail(NAME, 'the build does not share react: hooks fail with a second React in the page', fix)
  }
  if (shared.state === 'shared' && admitsMajor(shared.requiredVersion, SHELL_MAJOR) === false) {
    const fix = `set requiredVersion of react and react-dom to '^${SHELL_MAJOR}.0.0' in vite.config.ts, then build again`
    return fail(NAME, `the build requires react ${shared.requiredVersion}, but the shell has ${SHELL_MAJOR}`, fix)
  }
  if (admitsMajor(range, SHELL_MAJOR) === false) {
    return warn(NAME, `package.json requires react ${range}, but ${installed} is installed`, add)
  }
  const required = shared.state === 'shared' ? `; the build requires ${shared.requiredVersion}` : ''
  return ok(NAME, `react ${installed}${required}`)
}

function dependency(packageJson: Record<string, unknown>, name: string): string | undefined {
  for (const kind of ['dependencies', 'peerDependencies', 'devDependencies']) {
    const range = (packageJson[kind] as Record<string, unknown> | undefined)?.[name]
    if (typeof range === 'string') return range
  }
  return undefined
}
