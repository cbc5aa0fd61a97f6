import type { CommanderError } from 'commander'
import type { Context } from '../context.ts'
import { CliError, EXIT } from '../errors.ts'
import { type Explained, localProblem } from './explained.ts'
import { nearOnes } from './near-words.ts'
import { safeText, withoutTokens } from './safe-text.ts'
import { isSystemError, systemWords } from './system-errors.ts'

const TITLES: Record<string, string> = {
  USAGE: 'The command was not understood',
  UNREACHABLE: 'The service is out of reach',
  GAVE_UP: 'It took too long',
  PROVISIONING_FAILED: 'The sandbox could not be made',
  NOT_SIGNED_IN: 'Nobody is signed in',
}

export async function explain(error: unknown, context: Context): Promise<Explained> {
  if (error instanceof CliError) return explainOwn(error)
  if (isCommanderError(error)) return explainUsage(error)
  const { explainSdkError } = await import('./sdk-errors.ts')
  const known = explainSdkError(error, context)
  if (known !== undefined) return known
  if (isSystemError(error)) return explainSystem(error)
  const detail = error instanceof Error ? error.message : String(error)
  const problem = localProblem('INTERNAL', 'Something went wrong in the tool', detail)
  return { exitCode: EXIT.refused, problem, next: 'Run it again; if it stays, report it with the command you gave.' }
}

function explainSystem(error: NodeJS.ErrnoException): Explained {
  const what = error.path ?? (error.syscall === 'write' ? 'The answer' : 'Something of this machine')
  const detail = `${what} cannot be used: ${systemWords(error)}.`
  return { exitCode: EXIT.refused, problem: localProblem('SYSTEM', 'The system refused it', detail), next: undefined }
}

function explainOwn({ code, message, members, exitCode, next }: CliError): Explained {
  return { exitCode, next, problem: localProblem(code, TITLES[code] ?? 'It was refused', message, members) }
}

function explainUsage(error: CommanderError): Explained {
  if (error.code === 'commander.help') {
    const problem = localProblem('USAGE', TITLES.USAGE!, 'A command is missing.')
    return { exitCode: EXIT.usage, problem, next: 'Ask with --help what there is.' }
  }
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n')
  const suggestion = nearOnes(first, rest.join(' ').replace(/[()]/g, '').trim())
  const detail = `${first.charAt(0).toUpperCase()}${first.slice(1)}${/[.?!]$/.test(first) ? '' : '.'}`
  const next = suggestion === '' ? 'Ask with --help what there is.' : suggestion
  return { exitCode: EXIT.usage, problem: localProblem('USAGE', TITLES.USAGE!, detail), next }
}

/** By its shape, so that nothing is loaded to find out. */
function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.')
}

/** With --format=json the object alone; else what happened, the details, and what to do next. */
export function printProblem(context: Context, { problem, next }: Explained): void {
  const { out } = context
  if (out.format === 'json') {
    out.raw(`${withoutTokens(JSON.stringify(next === undefined ? problem : { ...problem, next }))}\n`)
    return
  }
  const lines = [`${out.paintNote('red', 'svc:')} ${safeText(problem.detail)}`]
  for (const line of fieldsOf(problem)) lines.push(`     ${safeText(line)}`)
  if (next !== undefined)
    lines.push(`     ${out.paintNote('cyan', out.noteStyle.unicode ? '→' : '->')} ${safeText(next)}`)
  out.raw(`${withoutTokens(lines.join('\n'))}\n`)
}

function fieldsOf(problem: Explained['problem']): string[] {
  const lines: string[] = []
  const { status, code, requestId, validValues, errors } = problem
  if (Array.isArray(errors) && errors.length > 1)
    lines.push(...errors.map((e) => `- ${(e as { detail: string }).detail}`))
  if (Array.isArray(validValues)) lines.push(`Valid: ${validValues.join(', ')}`)
  if (typeof status === 'number' && status > 0)
    lines.push(`${code} (${status})${requestId ? `, request ${String(requestId)}` : ''}`)
  return lines
}
