import type { CommanderError } from 'commander'
import type { Context } from './context.ts'
import { EXIT, type ExitCode } from './errors.ts'
import { localProblem } from './output/explained.ts'
import { explain, printProblem } from './output/problem.ts'
import { systemWords } from './output/system-errors.ts'
import { buildProgram } from './program.ts'

/** One command from its words to its exit code. */
export async function run(context: Context, words: readonly string[]): Promise<ExitCode> {
  // Wrong usage is told in the form that was asked for, although the words could not be understood.
  if (asksForJson(words)) context.out.format = 'json'
  try {
    const program = await buildProgram(context, words)
    if (words.length === 0) program.outputHelp()
    else await program.parseAsync([...words], { from: 'user' })
    return EXIT.ok
  } catch (error) {
    if (isAnswered(error)) return EXIT.ok
    const explained = await explain(error, context)
    printProblem(context, explained)
    return explained.exitCode
  }
}

/** Ctrl-C: what goes on without the tool, in the form that was asked for. */
export function tellInterrupted({ out, interruptNote }: Context): void {
  if (interruptNote === undefined) return
  if (out.format === 'text') out.raw(`\n${interruptNote}\n`)
  else out.raw(`${JSON.stringify(localProblem('INTERRUPTED', 'The tool was interrupted', interruptNote))}\n`)
}

/** The process comes to its end while the command still waits for something that will never come. */
export function tellCutShort(context: Context): void {
  const detail = 'The command did not come to its end: what it waited for will not come.'
  const next = context.interruptNote ?? 'Run it again; if it stays, report it with the command you gave.'
  printProblem(context, {
    exitCode: EXIT.unreachable,
    problem: localProblem('CUT_SHORT', 'The command did not come to its end', detail),
    next,
  })
}

/** stdout took only a part of the answer, or nothing. */
export function tellUnwritten(context: Context, error: unknown): void {
  const detail = `The answer could not be written: ${systemWords(error)}.`
  const problem = localProblem('NOT_WRITTEN', 'The answer could not be written', detail)
  printProblem(context, { exitCode: EXIT.refused, problem, next: undefined })
}

function asksForJson(words: readonly string[]): boolean {
  return words.some((word, i) => word === '--format=json' || (word === '--format' && words[i + 1] === 'json'))
}

/** Help and version are answers; commander ends them by an error of its own. */
function isAnswered(error: unknown): boolean {
  const { code, exitCode } = error as Partial<CommanderError>
  return exitCode === 0 && String(code).startsWith('commander.')
}
