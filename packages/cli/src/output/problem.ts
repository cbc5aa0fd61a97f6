import { printableJson } from '@storey/contract/printable'
import type { CommanderError } from 'commander'
import type { Context } from '../context.ts'
import { CliError, EXIT } from '../errors.ts'
import { type Explained, localProblem } from './explained.ts'
import { nearSuggestions } from './near-words.ts'
import { safeText, withoutTokens } from './safe-text.ts'
import { describeSystemError, isSystemError } from './system-errors.ts'

const TITLES: Record<string, string> = {
  USAGE: 'Invalid usage',
  UNREACHABLE: 'The service is unreachable',
  GAVE_UP: 'Timed out',
  PROVISIONING_FAILED: 'The sandbox could not be created or reset',
  NOT_SIGNED_IN: 'Not signed in',
}

export async function explain(error: unknown, context: Context): Promise<Explained> {
  if (error instanceof CliError) return explainOwn(error)
  if (isCommanderError(error)) return explainUsage(error)
  const { explainSdkError } = await import('./sdk-errors.ts')
  const known = explainSdkError(error, context)
  if (known !== undefined) return known
  if (isSystemError(error)) return explainSystem(error)
  const detail = error instanceof Error ? error.message : String(error)
  const problem = localProblem('INTERNAL', 'Internal error', detail)
  return {
    exitCode: EXIT.refused,
    problem,
    next: 'Run the command again. If the error persists, report it together with the command line.',
  }
}

function explainSystem(error: NodeJS.ErrnoException): Explained {
  const what = error.path ?? (error.syscall === 'write' ? 'The output' : 'A resource of this machine')
  const detail = `${what} cannot be used: ${describeSystemError(error)}.`
  return { exitCode: EXIT.refused, problem: localProblem('SYSTEM', 'System error', detail), next: undefined }
}

function explainOwn({ code, message, members, exitCode, next }: CliError): Explained {
  return { exitCode, next, problem: localProblem(code, TITLES[code] ?? 'Refused', message, members) }
}

function explainUsage(error: CommanderError): Explained {
  if (error.code === 'commander.help') {
    const problem = localProblem('USAGE', TITLES.USAGE!, 'A command is missing.')
    return { exitCode: EXIT.usage, problem, next: 'See --help.' }
  }
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n')
  const suggestion = nearSuggestions(first, rest.join(' ').replace(/[()]/g, '').trim()) || nearChoice(first)
  const detail = `${first.charAt(0).toUpperCase()}${first.slice(1)}${/[.?!]$/.test(first) ? '' : '.'}`
  const next = suggestion === '' ? 'See --help.' : suggestion
  return { exitCode: EXIT.usage, problem: localProblem('USAGE', TITLES.USAGE!, detail), next }
}

/** The closest of the allowed choices. commander lists them all and suggests none. */
function nearChoice(message: string): string {
  const [, typed, choices] = /'([^']+)' is invalid.*Allowed choices are (.+?)\.?$/.exec(message) ?? []
  return typed === undefined ? '' : nearSuggestions(`'${typed}'`, `Did you mean one of ${choices}?`)
}

/** Recognizes the error by its code, so that this file need not load commander. */
function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.')
}

/** Prints the problem object with --format=json, else the message, the details and what to do next. */
export function printProblem(context: Context, { problem, next }: Explained): void {
  const { out } = context
  if (out.format === 'json') {
    out.raw(`${withoutTokens(printableJson(next === undefined ? problem : { ...problem, next }))}\n`)
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
