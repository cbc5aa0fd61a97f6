import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'

export type Manifest = Record<string, unknown>

/** A folder to release from, with the settings and the manifests of this repository, each as `change` returns it. */
export function releaseFolder(change: (manifest: Manifest) => Manifest): string {
  const folder = temporaryFolder('storey-release-test')
  for (const file of ['package.json', ...['contract', 'sdk', 'cli'].map((name) => `packages/${name}/package.json`)]) {
    write(folder, file, JSON.stringify(change(readJson(file)), null, 2))
  }
  // `@changesets/cli` looks for packages only beside a lock file.
  write(folder, 'package-lock.json', JSON.stringify({ lockfileVersion: 3, packages: {} }))
  for (const name of ['config.json', 'README.md']) copy(folder, join('.changeset', name))
  return folder
}

export function readJson(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8'))
}

export function write(folder: string, file: string, text: string): void {
  mkdirSync(join(folder, dirname(file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}

export function copy(folder: string, file: string): void {
  cpSync(file, join(folder, file))
}

/**
 * The environment of this process without the settings of npm and without what a workflow of GitHub or another runner
 * sets. In the release workflow these would give npm the rights of the real release.
 */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|node_auth|github_|actions_|runner_|ci$)/i.test(name),
  )
  return Object.fromEntries(others)
}

/** Runs a script of `scripts/release` in the folder. Resolves with its exit code and its output, errors included. */
export function runScript(
  name: string,
  folder: string,
  env: NodeJS.ProcessEnv = plainEnvironment(),
): Promise<{ code: number | null; output: string }> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [resolve('scripts/release', name)], { cwd: folder, env })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    child.once('error', fail)
    child.once('close', (code) => done({ code, output }))
  })
}
