import { createInterface } from 'node:readline'
import type { Context } from '../context.ts'
import { CliError } from '../errors.ts'
import { safeText } from './safe-text.ts'

/** Asks on a terminal, unless --yes is given. */
export async function confirm(context: Context, question: string, yes: boolean | undefined): Promise<void> {
  if (yes || context.stdin.isTTY !== true || !context.out.isWatched) return
  const answer = await ask(context, `${safeText(question)} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) {
    throw new CliError('Nothing was changed.', { code: 'NOT_CONFIRMED', next: 'Answer y, or run it again with --yes.' })
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
