import { isUtf8 } from 'node:buffer'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { StartupError } from '@storey/kit/startup-error'
import { deleteDeadLetter, findDeadLetter, listDeadLetters, requestResend } from '@storey/provisioning/operator'
import { type Arguments, needed, UsageError } from './arguments.ts'
import { lines } from './lines.ts'

type Command = (deps: { control: Database }, args: Arguments) => Promise<string>

/** How long the command waits for the result. The service polls every two seconds, and may have to start a stack. */
const RESEND_LIMIT_MS = 30_000

const list: Command = async ({ control }, { options }) =>
  lines(await listDeadLetters(control, options.sandbox), (letter) => [
    letter.id,
    letter.sandboxId,
    letter.lastFailedAt.toISOString(),
    letter.attempts,
    letter.bytes,
    letter.requestId,
    oneLine(letter.reason),
  ])

const show: Command = async ({ control }, { subject }) => {
  const letter = await findDeadLetter(control, needed(subject, 'the id of a dead letter'))
  if (!letter) throw new StartupError(`Dead letter ${subject} not found.`)
  const { payload, ...fields } = letter
  const head = Object.entries(fields).map(([name, value]) => {
    const text = value instanceof Date ? value.toISOString() : String(value ?? '-')
    return `${name}\t${oneLine(text)}`
  })
  return [...head, '', isUtf8(payload) ? printable(payload.toString('utf8')) : payload.toString('base64')].join('\n')
}

const resend: Command = async ({ control }, { subject, options }) => {
  if ((subject === undefined) === (options.sandbox === undefined)) {
    throw new UsageError('give the id of a dead letter, or --sandbox for all dead letters of a sandbox')
  }
  const wanted = subject === undefined ? { sandboxId: options.sandbox! } : { id: subject }
  const ids = await requestResend(control, wanted, systemClock.now())
  if (ids.length === 0) throw new StartupError('No dead letter found.')
  return lines(await outcomes(control, ids), (row) => row)
}

/** Polls until the running service has handled the dead letters, for at most 30 seconds. */
async function outcomes(control: Database, ids: readonly string[]): Promise<string[][]> {
  for (const deadline = Date.now() + RESEND_LIMIT_MS; ; await sleep(250)) {
    const left = new Map((await listDeadLetters(control)).map((letter) => [letter.id, letter]))
    const isOpen = ids.some((id) => left.get(id)?.resendRequestedAt != null)
    if (isOpen && Date.now() < deadline) continue
    return ids.map((id) => {
      const letter = left.get(id)
      if (letter === undefined) return [id, 'stored']
      if (letter.resendRequestedAt === null) return [id, 'failed', oneLine(letter.reason)]
      return [id, 'waiting', 'will be sent when the service runs with MQTT enabled and the sandbox is available']
    })
  }
}

const remove: Command = async ({ control }, { subject }) => {
  if (!(await deleteDeadLetter(control, needed(subject, 'the id of a dead letter')))) {
    throw new StartupError(`Dead letter ${subject} not found.`)
  }
  return ''
}

export const DEAD_LETTER_COMMANDS: Record<string, Command> = {
  'dead-letters': list,
  'dead-letters list': list,
  'dead-letters show': show,
  'dead-letters resend': resend,
  'dead-letters delete': remove,
}

/** Replaces control characters, because a terminal could take them as commands. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the function replaces control characters
const printable = (text: string): string => text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '\ufffd')

const oneLine = (text: string): string => printable(text).replace(/[\t\n]/g, ' ')
