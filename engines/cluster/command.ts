import { execFile } from 'node:child_process'
import { EngineMissing } from '../fetch/cache.ts'

const LIMIT_MS = 120_000
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

export interface CommandOptions {
  env?: Record<string, string>
  input?: string
  limitMs?: number
}

/** Runs a program to its end, and returns what it printed. */
export function command(program: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      {
        env: { ...process.env, ...options.env },
        timeout: options.limitMs ?? LIMIT_MS,
        maxBuffer: MAX_OUTPUT_BYTES,
      },
      (err, stdout, stderr) => {
        if (err === null) resolve(stdout)
        else if (err.code === 'ENOENT') reject(new EngineMissing(`${program} is required, but it is not on the PATH`))
        else reject(new Error(`${program} ${args.slice(0, 8).join(' ')} failed: ${(stderr || err.message).trim()}`))
      },
    )
    child.stdin!.on('error', () => undefined)
    child.stdin!.end(options.input)
  })
}
