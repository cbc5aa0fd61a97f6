import { Problem } from '@storey/contract'
import { printable, printableJson } from '@storey/contract/printable'
import { ConfigError } from '@storey/kit/config'
import { isUnavailable } from '@storey/kit/database'
import { StartupError } from '@storey/kit/startup-error'
import { USAGE, UsageError } from './arguments.ts'
import { runCommandLine } from './run-operator.ts'

/** What the program prints to. */
export interface Streams {
  stdout: { write(text: string): unknown }
  stderr: { write(text: string): unknown }
}

export interface Ended {
  exitCode: number
  /** Whether the command was refused or failed. Connections can then still be open, so `main.ts` ends the process. */
  hasFailed: boolean
}

/** The operator's program: runs a command line, prints its output and, if it failed, its error. */
export async function runProgram(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { stdout, stderr }: Streams,
): Promise<Ended> {
  const isJson = args.includes('--json')
  const help = args.length === 0 ? USAGE.trimEnd() : '`npm run --silent operator -- help` lists the commands.'

  function fail(code: string, message: string, exitCode: number): Ended {
    const error = isJson ? printableJson({ error: { code, message } }) : printable(`operator: ${message}`)
    stderr.write(`${error}\n`)
    return { exitCode, hasFailed: true }
  }

  try {
    const { output, exitCode, error } = await runCommandLine(args, env, (line) => stdout.write(`${line}\n`))
    if (output !== '') stdout.write(`${output}\n`)
    if (error) throw error
    return { exitCode, hasFailed: false }
  } catch (err) {
    if (err instanceof UsageError) return fail('USAGE', isJson ? err.message : `${err.message}\n\n${help}`, 64)
    if (err instanceof Problem) return fail(err.code, err.message, 1)
    if (err instanceof ConfigError) return fail('SETTINGS', err.message, 1)
    if (err instanceof StartupError) return fail('FAILED', err.message, 1)
    if (isUnavailable(err)) return fail('UNAVAILABLE', `The database is unavailable: ${(err as Error).message}`, 1)
    return fail('INTERNAL', String((err as Error).stack ?? err), 1)
  }
}
