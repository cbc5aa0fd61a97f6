import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, latestTime } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { within } from '@storey/kit/within'
import type { StackPool } from '../../stacks/index.ts'
import { insertRevoked } from './revoked-subjects.store.ts'

export interface AccountNoticesOptions {
  control: Database
  stacks: Pick<StackPool, 'send'>
  /** The issuer of the tokens of accounts; null: there are no such tokens. */
  issuer: string | null
  clock: Clock
  log: Log
}

export interface AccountNotices {
  /**
   * Call this after a change of an account was committed. Tokens of `revokedAccountId` that were issued until now are
   * refused from now on. Resolves when the stack has been notified, or after `WAIT_MS`. It never rejects, and a failed
   * notice is repeated, because the change has been made and its response may contain a one-time password.
   */
  changed(sandboxId: string, revokedAccountId?: string): Promise<void>
  /** Ends the repetitions. */
  close(): void
}

interface Revocation {
  issuer: string
  subject: string
  at: Date
}

/** How long the response to a change waits for the stack. */
const WAIT_MS = 2_000
/** The pause before a failed notice is repeated. It doubles with each further failure, up to the maximum. */
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000

/** Notifies running and starting stacks of changed accounts. Stacks that start later read the revocations. */
export function createAccountNotices({ control, stacks, issuer, clock, log }: AccountNoticesOptions): AccountNotices {
  const closing = new AbortController()

  /** Records the revocation too: for a service account, the transaction of the change has not recorded it. */
  async function revoke(sandboxId: string, { issuer, subject, at }: Revocation): Promise<void> {
    await Promise.all([
      insertRevoked(control, sandboxId, subject, at),
      stacks.send(sandboxId, { type: 'revoked', issuer, subject, at: at.toISOString() }),
    ])
  }

  async function notify(sandboxId: string, revocation: Revocation | undefined): Promise<void> {
    if (revocation) await revoke(sandboxId, revocation)
    await stacks.send(sandboxId, { type: 'people' })
  }

  async function notifyUntilDone(sandboxId: string, revocation: Revocation | undefined): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        return await notify(sandboxId, revocation)
      } catch (err) {
        const level = pauseMs === FIRST_PAUSE_MS ? 'warn' : 'debug'
        log[level]({ err, sandboxId, pauseMs }, 'stack could not be notified of a changed account, retrying')
        await sleep(pauseMs, undefined, { signal: closing.signal, ref: false })
      }
    }
  }

  return {
    async changed(sandboxId, revokedAccountId) {
      const isRevoked = revokedAccountId !== undefined && issuer !== null
      const revocation = isRevoked ? { issuer, subject: revokedAccountId, at: latestTime(clock) } : undefined
      await within(WAIT_MS, notifyUntilDone(sandboxId, revocation)).catch(() => undefined)
    },
    close: () => closing.abort(),
  }
}
