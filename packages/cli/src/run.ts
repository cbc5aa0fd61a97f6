import { printableJson } from '@storey/contract/printable'
import type { CommanderError } from 'commander'
import type { Context } from './context.ts'
import { EXIT, type ExitCode } from './errors.ts'
import { localProblem } from './output/explained.ts'
import { explain, printProblem } from './output/problem.ts'
import { safeText } from './output/safe-text.ts'
import { describeSystemError } from './output/system-errors.ts'
import { buildProgram } from './program.ts'

/** Runs one command, from its arguments to its exit code. */
export async function run(context: Context, words: readonly string[]): Promise<ExitCode> {
  // Invalid usage is reported in the requested format, even if the arguments cannot be parsed.
  if (asksForJson(words)) context.out.format = 'json'
  try {
    const program = await buildProgram(context, words)
    if (words.length === 0) program.outputHelp()
    else await program.parseAsync([...words], { from: 'user' })
    return EXIT.ok
  } catch (error) {
    if (isAnswered(error)) return EXIT.ok
    // The arguments name a group without a command: commander has already printed the help of the group.
    if (isHelp(error) && context.out.format === 'text') return EXIT.usage
    const explained = await explain(error, context)
    printProblem(context, explained)
    return explained.exitCode
  }
}

/** After Ctrl-C, reports what the command may have caused or not finished, in the requested format. */
export function reportInterrupted({ out, interruptNote }: Context): void {
  if (interruptNote === undefined) return
  if (out.format === 'text') out.raw(`\n${safeText(interruptNote)}\n`)
  else out.raw(`${printableJson(localProblem('INTERRUPTED', 'Interrupted', interruptNote))}\n`)
}

/** Reports that the process ends, because the event loop is empty, although the command has not finished. */
export function reportIncomplete(context: Context): void {
  const detail = 'The command did not finish: it waited for something that never happened.'
  const next =
    context.interruptNote ?? 'Run the command again. If the error persists, report it together with the command line.'
  printProblem(context, {
    exitCode: EXIT.unreachable,
    problem: localProblem('CUT_SHORT', 'The command did not finish', detail),
    next,
  })
}

/** Reports that only a part of the output, or nothing, was written to stdout. */
export function reportUnwritten(context: Context, error: unknown): void {
  const detail = `The output could not be written: ${describeSystemError(error)}.`
  const problem = localProblem('NOT_WRITTEN', 'The output could not be written', detail)
  printProblem(context, { exitCode: EXIT.refused, problem, next: undefined })
}

function asksForJson(words: readonly string[]): boolean {
  return words.some((word, i) => word === '--format=json' || (word === '--format' && words[i + 1] === 'json'))
}

const isHelp = (error: unknown) => (error as Partial<CommanderError>).code === 'commander.help'

/** Whether commander has printed help or the version. Commander throws an error after that, although nothing failed. */
function isAnswered(error: unknown): boolean {
  const { code, exitCode } = error as Partial<CommanderError>
  return exitCode === 0 && String(code).startsWith('commander.')
}
