import { createLoop, type Loop } from '@storey/kit/background'
import type { Clock } from '@storey/kit/clock'
import { type Database, isUnavailable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import {
  type DeadLetter,
  deleteDeadLetter,
  findDeadLetter,
  listToResend,
  noteFailedResend,
} from './dead-letters.store.ts'

/** The result of a resend. `later`: the stack is unavailable, so the dead letter is resent later. */
export type Resent = { kind: 'stored' } | { kind: 'later' } | { kind: 'failed'; reason: string }

export interface ResenderOptions {
  control: Database
  clock: Clock
  log: Log
  /** False while another control plane resends. */
  isLeader?(): boolean
  send(letter: DeadLetter & { payload: Buffer }): Promise<Resent>
  everyMs?: number
}

const EVERY_MS = 2_000
const AT_A_TIME = 100

/**
 * Resends the dead letters whose resend the operator requested. A dead letter is deleted only after the stack of its
 * sandbox has stored the message.
 */
export function createResender(options: ResenderOptions): Loop {
  const { control, clock, log, send, isLeader = () => true, everyMs = EVERY_MS } = options

  async function resend(id: string): Promise<Resent['kind']> {
    const letter = await findDeadLetter(control, id)
    if (!letter) return 'stored'
    const { sandboxId } = letter
    const resent = await send(letter)
    if (resent.kind === 'stored') {
      await deleteDeadLetter(control, id)
      log.info({ deadLetterId: id, sandboxId }, 'dead letter resent')
    } else if (resent.kind === 'failed') {
      await noteFailedResend(control, id, resent.reason, clock.now())
      log.warn({ deadLetterId: id, sandboxId, reason: resent.reason }, 'dead letter could not be resent')
    }
    return resent.kind
  }

  async function run(signal: AbortSignal): Promise<void> {
    if (!isLeader()) return
    const busy = new Set<string>()
    for (;;) {
      // A dead letter that was resent is no longer in the list. If the stack of a sandbox is unavailable (`busy`), the
      // dead letters of the sandbox are left out until the next run.
      const letters = await listToResend(control, { limit: AT_A_TIME, except: [...busy] })
      if (letters.length === 0) return
      for (const { id, sandboxId } of letters) {
        if (signal.aborted || !isLeader()) return
        if (!busy.has(sandboxId) && (await resend(id)) === 'later') busy.add(sandboxId)
      }
    }
  }

  return createLoop({ name: 'dead-letter-resend', log, run, everyMs, isExpected: isUnavailable })
}
