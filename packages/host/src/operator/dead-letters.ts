import { isUtf8 } from 'node:buffer'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { StartupError } from '@storey/kit/startup-error'
import {
  type DeadLetterKey,
  deleteDeadLetter,
  findDeadLetter,
  listDeadLetters,
  listDeleted,
  requestResend,
} from '@storey/provisioning/operator'
import { needed, UsageError } from './arguments.ts'
import type { Command } from './command.ts'
import { lines } from './lines.ts'

const LETTER = 'the id of a dead letter'
const DELETE = 'dead-letters delete'

/** How long `resend` waits for the result. The service polls every two seconds, and may have to start a stack. */
const RESEND_LIMIT_MS = 30_000

const list: Command = {
  options: ['sandbox'],
  async run({ control }, { options }) {
    const letters = await listDeadLetters(control, options.sandbox)
    const text = lines(letters, (letter) => [
      letter.id,
      letter.sandboxId,
      letter.lastFailedAt.toISOString(),
      letter.attempts,
      letter.bytes,
      letter.requestId,
      letter.reason,
    ])
    return { text, json: letters }
  },
}

const show: Command = {
  argument: LETTER,
  async run({ control }, { subject }) {
    const letter = await findDeadLetter(control, needed(subject, LETTER))
    if (!letter) throw new StartupError(`Dead letter ${subject} not found.`)
    const { payload, ...fields } = letter
    const head = lines(Object.entries(fields), ([name, value]) => [
      name,
      value instanceof Date ? value.toISOString() : value,
    ])
    const content = payload.toString(isUtf8(payload) ? 'utf8' : 'base64')
    return { text: [head, '', content].join('\n'), json: { ...fields, payload: payload.toString('base64') } }
  },
}

const resend: Command = {
  argument: LETTER,
  options: ['sandbox'],
  async run({ control, record }, { subject, options }) {
    if ((subject === undefined) === (options.sandbox === undefined)) {
      throw new UsageError('give the id of a dead letter, or --sandbox for all dead letters of a sandbox')
    }
    const wanted = subject === undefined ? { sandboxId: options.sandbox! } : { id: subject }
    const letters = await requestResend(control, wanted, systemClock.now())
    if (letters.length === 0) throw new StartupError('No dead letter found.')
    const ids = letters.map(({ id }) => id)
    await record(control, { command: 'dead-letters resend', subject: subject ?? options.sandbox!, details: { ids } })
    const results = await outcomes(control, letters)
    return {
      text: lines(results, (row) => row),
      json: results.map(([id, outcome, reason = null]) => ({ id, outcome, reason })),
    }
  },
}

/** Polls until the running service has handled the dead letters, for at most 30 seconds. */
async function outcomes(control: Database, letters: readonly DeadLetterKey[]): Promise<string[][]> {
  for (const deadline = Date.now() + RESEND_LIMIT_MS; ; await sleep(250)) {
    const left = new Map((await listDeadLetters(control)).map((letter) => [letter.id, letter]))
    const isOpen = letters.some(({ id }) => left.get(id)?.resendRequestedAt != null)
    if (isOpen && Date.now() < deadline) continue
    const gone = letters.filter(({ id }) => !left.has(id))
    const deleted = await listDeleted(control, gone, DELETE)
    return letters.map(({ id }) => {
      const letter = left.get(id)
      if (letter === undefined) return [id, deleted.includes(id) ? 'deleted' : 'stored']
      if (letter.resendRequestedAt === null) return [id, 'failed', letter.reason]
      return [id, 'waiting', 'will be sent when the service runs with MQTT enabled and the sandbox is available']
    })
  }
}

const remove: Command = {
  argument: LETTER,
  async run({ control, record }, { subject }) {
    const id = needed(subject, LETTER)
    await control.transaction(async (tx) => {
      if (!(await deleteDeadLetter(tx, id))) throw new StartupError(`Dead letter ${id} not found.`)
      await record(tx, { command: DELETE, subject: id })
    })
    return { text: '', json: { id } }
  },
}

export const DEAD_LETTER_COMMANDS: Record<string, Command> = {
  'dead-letters': list,
  'dead-letters list': list,
  'dead-letters show': show,
  'dead-letters resend': resend,
  [DELETE]: remove,
}
