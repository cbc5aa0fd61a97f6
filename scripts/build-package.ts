import { mkdirSync, rmSync } from 'node:fs'
import { bundleCli } from './packing/bundle-cli.ts'
import { bundleSdk } from './packing/bundle-sdk.ts'
import { packSdk } from './packing/pack-sdk.ts'
import { restoreManifest, writePackedManifest } from './packing/packed-manifest.ts'

// Builds the npm package `sdk` or `cli`. npm runs it before and after packing; in between, the package.json that gets
// packed replaces the one of the repository. With `cli sdk` it packs only the SDK, for `svc module create` in a clone.

const BUILDS: Record<string, (folder: string) => Promise<void>> = { sdk: bundleSdk, cli: bundleCli }

const [name = '', step = 'build'] = process.argv.slice(2)
const build = BUILDS[name]
const folder = `packages/${name}`
if (build === undefined) {
  process.stderr.write(
    `Usage: build-package.ts <${Object.keys(BUILDS).join(' | ')}> [build | prepack | restore | sdk]\n`,
  )
  process.exit(64)
}

restoreManifest(folder)
if (step === 'sdk') {
  mkdirSync(`${folder}/dist`, { recursive: true })
  await packSdk('packages/sdk', `${folder}/dist/sdk.tgz`)
} else if (step !== 'restore') {
  rmSync(`${folder}/dist`, { recursive: true, force: true })
  await build(folder)
}
if (step === 'prepack') writePackedManifest(folder)
