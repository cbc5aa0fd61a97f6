import { withLock } from '../install/lock.mjs'
import { buildStackProgram } from './stack-program.ts'
import { buildWebApp } from './web-app.ts'

/** Builds what a started system uses, as far as its sources have changed since the last build. */
// Every caller, test runs included, gets the production build.
process.env.NODE_ENV = 'production'
await withLock('.storey-building', 'building', async () => {
  await buildStackProgram()
  for (const app of ['shell', 'portal']) await buildWebApp(app)
})
