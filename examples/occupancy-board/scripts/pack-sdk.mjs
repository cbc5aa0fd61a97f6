// Packs the SDK of the repository that this example stands in. A project elsewhere has the package already.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const vendor = fileURLToPath(new URL('../vendor', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))
mkdirSync(vendor, { recursive: true })
// npm tells programs that it starts where it was started; this one is to work elsewhere.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_local_prefix$/i.test(name)))
const { status } = spawnSync('npm', ['pack', '-w', 'packages/sdk', '--pack-destination', vendor], {
  cwd: root,
  env,
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
process.exit(status ?? 1)
