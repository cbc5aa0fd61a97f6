import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { npmEnvironment } from '../../packages/cli/src/commands/module/project/npm-environment.mjs'
import { bundleSdk } from './bundle-sdk.ts'
import { packed } from './packed-manifest.ts'

/** Packs a copy of the built SDK, because the packed package.json differs from the one in the repository. */
export async function packSdk(sdk: string, file: string): Promise<void> {
  rmSync(join(sdk, 'dist'), { recursive: true, force: true })
  await bundleSdk(sdk)
  mkdirSync(join('node_modules', '.cache'), { recursive: true })
  const work = mkdtempSync(join('node_modules', '.cache', 'sdk-'))
  try {
    const staged = join(work, 'package')
    cpSync(join(sdk, 'dist'), join(staged, 'dist'), { recursive: true })
    if (existsSync(join(sdk, 'README.md'))) cpSync(join(sdk, 'README.md'), join(staged, 'README.md'))
    const manifest = packed(JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8')))
    writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    npmPack(staged, work)
    renameSync(join(work, readdirSync(work).find((name) => name.endsWith('.tgz'))!), file)
  } finally {
    rmSync(work, { recursive: true })
  }
}

function npmPack(folder: string, destination: string): void {
  const { status } = spawnSync('npm', ['pack', `./${folder}`, '--loglevel=error', '--pack-destination', destination], {
    stdio: ['ignore', 'ignore', 2],
    env: npmEnvironment(process.env),
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error('the SDK could not be packed: see the output of npm above')
}
