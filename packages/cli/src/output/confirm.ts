import { createInterface } from 'node:readline'
import type { Context } from '../context.ts'
import { CliError, wrongUsage } from '../errors.ts'
import { safeText } from './safe-text.ts'

interface Confirmation {
  /** Whether the option --yes was given. */
  yes: boolean | undefined
  /** Whether the sandbox is an argument of the command, and was not taken from the environment or from `svc use`. */
  isNamed: boolean
}

/**
 * Asks the user on a terminal. Without a terminal, or with --format=json, the command must name the sandbox or have
 * --yes.
 */
export async function confirm(context: Context, question: string, { yes, isNamed }: Confirmation): Promise<void> {
  if (yes) return
  if (context.stdin.isTTY !== true || !context.out.isWatched) {
    if (isNamed) return
    const why = context.out.format === 'json' ? 'with --format=json it does not ask' : 'there is no terminal to ask on'
    throw wrongUsage(
      `Nothing was changed: the command needs a confirmation, and ${why}.`,
      'Name the sandbox, or add --yes.',
    )
  }
  const answer = await ask(context, `${safeText(question)} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) {
    throw new CliError('Nothing was changed.', { code: 'NOT_CONFIRMED', next: 'Answer y, or add --yes.' })
  }
}

function ask(context: Context, question: string): Promise<string> {
  context.out.raw(question)
  const lines = createInterface({ input: context.stdin, terminal: false })
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line)
      lines.close()
    })
    lines.once('close', () => resolve(''))
  })
}
