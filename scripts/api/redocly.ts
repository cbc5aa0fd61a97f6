import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const PROGRAM = join('node_modules', '@redocly', 'cli', 'bin', 'cli.js')

/** Runs Redocly's tool without its telemetry and its check for updates. `output` has both streams. */
export function redocly(...args: string[]): { status: number | null; output: string; stdout: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
  })
  return { status, output: stdout + stderr, stdout }
}
