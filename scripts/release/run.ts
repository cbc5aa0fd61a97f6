import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const CHANGESETS = fileURLToPath(new URL('../../node_modules/@changesets/cli/bin.js', import.meta.url))

/** Runs a program with the output of this process. If it fails, this process exits: it has reported why. */
export function run(program: string, ...args: string[]): void {
  const { status } = spawnSync(program, args, {
    stdio: 'inherit',
    shell: program === 'npm' && process.platform === 'win32',
  })
  if (status !== 0) process.exit(1)
}

export function runChangesets(...args: string[]): void {
  run(process.execPath, CHANGESETS, ...args)
}
