import { createHash } from 'node:crypto'
import { NOTICE_FAILURES, newDedicatedClient } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { Tenants } from '../tenants.ts'
import { ServerUnavailable } from './server-unavailable.ts'

export interface ServerGuardOptions {
  url: string
  address: string
  installationTag: string
  log: Log
  /**
   * Whether this process leads. The leader holds the lock. Any other process, such as an operator command, only checks
   * whether another service holds it.
   */
  isLeader(): boolean
  /** Whether a service with this control database leads, and so is the one that holds the lock. */
  isServiceRunning(): Promise<boolean>
}

/**
 * Lets only one leader create and drop databases on a server. A copy of the control database on another PostgreSQL
 * server owns the same sandboxes, and its leader would drop databases that the original uses.
 */
export interface ServerGuard {
  /** Takes or looks for the lock. */
  check(): Promise<void>
  close(): Promise<void>
}

/** The lock belongs to a session, so it ends with the process, and soon after the machine fails. */
export function createServerGuard(options: ServerGuardOptions): ServerGuard {
  const { address, installationTag, log, isLeader } = options
  const key = createHash('sha256').update(`server guard ${installationTag}`).digest().readInt32BE() & 0x7fffffff
  let held: ReturnType<typeof newDedicatedClient> | undefined
  let isOthers = false

  async function release(): Promise<void> {
    const client = held
    held = undefined
    await client?.end().catch(() => undefined)
  }

  /** Whether this process could take the lock. It keeps it if it leads. */
  async function take(): Promise<boolean> {
    const client = newDedicatedClient({ url: options.url, applicationName: 'storey-guard' })
    try {
      await client.connect()
      await client.query(NOTICE_FAILURES)
      const { rows } = await client.query('select pg_try_advisory_lock($1) as mine', [key])
      if (rows[0].mine && isLeader()) {
        held = client
        client.once('end', () => {
          if (held === client) held = undefined
        })
      }
      return rows[0].mine
    } finally {
      if (held !== client) await client.end().catch(() => undefined)
    }
  }

  function note(isOthersNow: boolean): void {
    if (isOthersNow && !isOthers)
      log.error(
        { address },
        'database server used by another service with a copy of this control database, nothing is created or dropped there',
      )
    if (!isOthersNow && isOthers) log.info({ address }, 'database server no longer used by another service')
    isOthers = isOthersNow
  }

  let running: Promise<void> | undefined
  async function look(): Promise<void> {
    if (held && !isLeader()) await release()
    if (held) return
    const isFree = await take()
    note(!isFree && (isLeader() || !(await options.isServiceRunning())))
  }

  return {
    async check() {
      running ??= look().finally(() => {
        running = undefined
      })
      await running
      if (isOthers)
        throw new ServerUnavailable(
          `another service with a copy of this control database uses the database server at ${address}`,
        )
    },
    close: release,
  }
}

/** The tenants of a server, which are created and dropped only if the guard permits it. */
export const guarded = (tenants: Tenants, guard: ServerGuard): Tenants => ({
  ...tenants,
  async create(...args) {
    await guard.check()
    await tenants.create(...args)
  },
  async drop(...args) {
    await guard.check()
    await tenants.drop(...args)
  },
})
