import { withLock } from '../install/lock.mjs'
import { buildStackProgram } from './stack-program.ts'
import { buildWebApp } from './web-app.ts'

/** `build.ts [name]`: builds what a started system uses, as far as its sources have changed since the last build. */
const BUILDS: Record<string, () => Promise<void>> = {
  stack: buildStackProgram,
  shell: () => buildWebApp('shell'),
  portal: () => buildWebApp('portal'),
}

const [only] = process.argv.slice(2)
if (only !== undefined && !(only in BUILDS)) {
  process.stderr.write(`Nothing is named "${only}". Names: ${Object.keys(BUILDS).join(', ')}\n`)
  process.exit(64)
}

// Every caller, test runs included, gets the production build.
process.env.NODE_ENV = 'production'
await withLock('.storey-building', 'building', async () => {
  for (const [name, build] of Object.entries(BUILDS)) if (only === undefined || only === name) await build()
})
