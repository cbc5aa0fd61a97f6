import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { expect, it } from 'vitest'

const scripts = join(import.meta.dirname, '../../../templates/module/scripts')
const serveBuild = pathToFileURL(join(scripts, 'serve-build.mjs')).href

it('[CLI-51] if a module’s port is in use, the error suggests the same npm script with the next port', async () => {
  const folder = temporaryFolder('storey-module')
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'vite.config.mjs'), 'export default { preview: { strictPort: true } }')
  writeFileSync(
    join(folder, 'dev-remote.mjs'),
    `import { serveBuild } from '${serveBuild}'\nawait serveBuild('dev:remote')`,
  )
  const holder = createServer().listen(0, 'localhost')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  const stderr = await new Promise<string>((resolve) =>
    execFile(process.execPath, ['dev-remote.mjs', '--port', `${port}`], { cwd: folder }, (_, __, text) =>
      resolve(text),
    ),
  )
  holder.close()
  expect(stderr).toBe(
    `Port ${port} is already in use. Stop what runs there, or choose another port: npm run dev:remote -- --port ${port + 1}\n`,
  )
})
