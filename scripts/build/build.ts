import { withLock } from '../install/lock.mjs'
import type { Build } from './if-changed.ts'
import { serviceProgramBuild } from './service-program.ts'
import { stackProgramBuild } from './stack-program.ts'
import { webAppBuild } from './web-app.ts'

// `build.ts [name]`: builds the service, the stack program and the web apps, or only the named one, if the sources have
// changed since the last build.

const BUILDS: Record<string, () => Build> = {
  service: serviceProgramBuild,
  stack: stackProgramBuild,
  shell: () => webAppBuild('shell'),
  portal: () => webAppBuild('portal'),
  reference: () => webAppBuild('reference'),
}

const [only] = process.argv.slice(2)
if (only !== undefined && !(only in BUILDS)) {
  process.stderr.write(`Unknown build "${only}". Builds: ${Object.keys(BUILDS).join(', ')}\n`)
  process.exit(64)
}

const due = () =>
  Object.entries(BUILDS)
    .filter(([name]) => only === undefined || only === name)
    .map(([, build]) => build())
    .filter(({ isDue }) => isDue)

// Every caller, test runs included, gets the production build.
process.env.NODE_ENV = 'production'
// If nothing has changed, not even the lock file is written, because the user may not be able to write here.
if (due().length > 0) {
  await withLock('.storey-building', 'building', async () => {
    // Another process may have built meanwhile.
    for (const { name, run } of due()) {
      process.stderr.write(`Building the ${name}…\n`)
      await run()
    }
  }).catch((err: NodeJS.ErrnoException) => {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(err.code ?? '')) throw err
    process.stderr.write(
      `storey: this user cannot build here (${err.message}): run npm run build as the owner of this folder\n`,
    )
    process.exit(1)
  })
}
