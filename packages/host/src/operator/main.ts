import { Problem } from '@storey/contract'
import { ConfigError } from '@storey/kit/config'
import { StartupError } from '@storey/kit/startup-error'
import { USAGE, UsageError } from './arguments.ts'
import { runCommandLine } from './run-operator.ts'

const args = process.argv.slice(2)
const isJson = args.includes('--json')
const help = args.length === 0 ? USAGE.trimEnd() : '`npm run --silent operator -- help` lists the commands.'

function fail(code: string, message: string, exitCode: number): never {
  const error = isJson ? JSON.stringify({ error: { code, message } }) : `operator: ${message}`
  process.stderr.write(`${error}\n`)
  process.exit(exitCode)
}

try {
  const { output, exitCode } = await runCommandLine(args, process.env, (line) => process.stdout.write(`${line}\n`))
  if (output !== '') process.stdout.write(`${output}\n`)
  process.exitCode = exitCode
} catch (err) {
  if (err instanceof UsageError) fail('USAGE', isJson ? err.message : `${err.message}\n\n${help}`, 64)
  if (err instanceof Problem) fail(err.code, err.message, 1)
  if (err instanceof ConfigError) fail('SETTINGS', err.message, 1)
  if (err instanceof StartupError) fail('FAILED', err.message, 1)
  fail('INTERNAL', String((err as Error).stack ?? err), 1)
}
