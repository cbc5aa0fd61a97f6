import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { build } from 'vite'
import { hashOfSources } from './hash-of-sources.ts'

/** Builds the two web apps where their sources have changed since. */
const APPS = ['shell', 'portal']
/** Beside its own folder, what an app is made of. */
const INGREDIENTS = [
  'packages/web/public',
  'packages/contract/src',
  'packages/building/src',
  'packages/sdk/src',
  'packages/web/src',
  'package-lock.json',
]
/** Smaller ones do not gain. */
const LEAST_BYTES = 1024
const COMPRESSED = /\.(js|css|html|svg|json)$/

/** Once here, and not for each reader. */
function compress(folder: string): void {
  for (const file of filesIn(folder)) {
    const bytes = readFileSync(file)
    if (!COMPRESSED.test(file) || bytes.length < LEAST_BYTES) continue
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }))
  }
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

for (const app of APPS) {
  const folder = join('packages', app, 'dist')
  const stamp = join(folder, '.made-of')
  const wanted = hashOfSources([join('packages', app), ...INGREDIENTS])
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) continue
  process.stderr.write(`Building the ${app}, once…\n`)
  // Whoever asks for the build, a test run among them, gets the one for users.
  process.env.NODE_ENV = 'production'
  await build({ configFile: join('packages', app, 'vite.config.ts'), logLevel: 'warn' })
  compress(folder)
  writeFileSync(stamp, wanted)
}
