// Packs the SDK of the repository that contains this example. A project that `svc module create` wrote already has the
// packed SDK.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const vendor = fileURLToPath(new URL('../vendor', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))
mkdirSync(vendor, { recursive: true })
// npm passes its own project folder to child processes, but the npm below must use that of the repository.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_local_prefix$/i.test(name)))
const { status } = spawnSync('npm', ['pack', '-w', 'packages/sdk', '--pack-destination', vendor], {
  cwd: root,
  env,
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
process.exit(status ?? 1)
