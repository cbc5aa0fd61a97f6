import { Problem } from '@storey/contract'
import { ConfigError } from '@storey/kit/config'
import { StartupError } from '@storey/kit/startup-error'
import { USAGE, UsageError } from './arguments.ts'
import { runOperator } from './run-operator.ts'

try {
  const answer = await runOperator(process.argv.slice(2), process.env, (line) => process.stdout.write(`${line}\n`))
  if (answer !== '') process.stdout.write(`${answer}\n`)
} catch (err) {
  if (err instanceof UsageError) {
    process.stderr.write(`operator: ${err.message}\n\n${USAGE}`)
    process.exit(64)
  }
  const known = err instanceof Problem || err instanceof StartupError || err instanceof ConfigError
  process.stderr.write(`operator: ${known ? err.message : ((err as Error).stack ?? err)}\n`)
  process.exit(1)
}
