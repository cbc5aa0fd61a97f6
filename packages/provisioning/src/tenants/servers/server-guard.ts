import { createHash } from 'node:crypto'
import { openDedicatedClient } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { Tenants } from '../tenants.ts'
import type { Lineage } from './lineage.ts'
import { ServerUnavailable } from './server-unavailable.ts'

export interface ServerGuardOptions {
  url: string
  /** The id of the server. */
  server: string
  address: string
  installationTag: string
  lineage: Lineage
  log: Log
  /**
   * Whether this process leads. The leader holds the lock of the server, an advisory lock of PostgreSQL. Any other
   * process, such as an operator command, only checks whether another service holds the lock.
   */
  isLeader(): boolean
  /** Whether a service with this control database leads. Such a service holds the lock. */
  isServiceRunning(): Promise<boolean>
}

/**
 * Lets only one leader create and drop databases on a server. A copy of the control database lists the same sandboxes,
 * and without the guard a leader that uses the copy would drop databases that the original control database uses.
 */
export interface ServerGuard {
  /** Takes the lock, or checks who holds it. Throws if nothing may be created or dropped. */
  check(): Promise<void>
  /** Why nothing may be created or dropped, as found by the last check. */
  refusal(): string | undefined
  /**
   * Claims the server for this control database. Returns false if the server already belongs to this control database.
   * Otherwise throws if a service holds the lock of the server.
   */
  claim(): Promise<boolean>
  close(): Promise<void>
}

type Client = Awaited<ReturnType<typeof openDedicatedClient>>
type Obstacle = 'locked' | 'not-ours'

export const notOurs = (server: string, address: string): string =>
  `another control database has used the database server ${server} (${address}) more recently than this control database, which is a copy or was restored. ` +
  'If it is a copy, stop its service. If it was restored and no other control database is in use, run operator server claim'

/** A PostgreSQL session holds the lock, so the lock ends with the process, or soon after its machine fails. */
export function createServerGuard(options: ServerGuardOptions): ServerGuard {
  const { server, address, installationTag, lineage, log, isLeader } = options
  const keyOf = (name: string) =>
    createHash('sha256').update(`${name} ${installationTag}`).digest().readInt32BE() & 0x7fffffff
  const key = keyOf('server guard')
  /** The key of a shared lock that waiting leaders hold, so that the holder of the server's lock finds them. */
  const waitKey = keyOf('server guard wait')
  let held: Client | undefined
  let waiting: Client | undefined
  let knownWaiters = new Set<number>()
  let obstacle: Obstacle | undefined

  async function release(): Promise<void> {
    const clients = [held, waiting]
    held = undefined
    waiting = undefined
    await Promise.all(clients.map((client) => client?.end().catch(() => undefined)))
  }

  async function connect(): Promise<Client> {
    const client = await openDedicatedClient({ url: options.url, applicationName: 'storey-guard' })
    client.once('end', () => {
      if (held === client) held = undefined
      if (waiting === client) waiting = undefined
    })
    return client
  }

  async function tryLock(client: Client): Promise<boolean> {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as mine', [key])
    return rows[0].mine
  }

  /** Takes the lock, and keeps it if this process leads. */
  async function take(): Promise<Obstacle | undefined> {
    if (!(await lineage.isOurs())) {
      await release()
      return 'not-ours'
    }
    const isNew = waiting === undefined
    const client = waiting ?? (await connect())
    waiting = undefined
    try {
      const isMine = await tryLock(client)
      if (!isLeader()) return isMine || (await options.isServiceRunning()) ? undefined : 'locked'
      if (!isMine) {
        if (isNew) await client.query('select pg_advisory_lock_shared($1)', [waitKey])
        waiting = client
        return 'locked'
      }
      // Another service may have used the server until a moment ago, so the generation is checked again.
      if (!(await lineage.isOurs())) return 'not-ours'
      await lineage.renew(client)
      knownWaiters = new Set()
      held = client
      return undefined
    } finally {
      if (held !== client && waiting !== client) await client.end().catch(() => undefined)
    }
  }

  /**
   * Writes a new generation if another leader has begun to wait for the lock. That leader may use a copy of the control
   * database that was created a moment ago, and would get the lock when this service is restarted. The copy does not
   * have the new generation, so it does not get the server.
   */
  async function excludeWaiters(client: Client): Promise<void> {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and classid = 0 and objid = $1 and objsubid = 1
        and database = (select oid from pg_database where datname = current_database()) and pid <> pg_backend_pid()`,
      [waitKey],
    )
    const waiters = new Set(rows.map(({ pid }) => pid))
    if ([...waiters].some((pid) => !knownWaiters.has(pid))) await lineage.renew(client)
    knownWaiters = waiters
  }

  function note(now: Obstacle | undefined): void {
    const fields = { server, address }
    if (now === 'locked' && obstacle !== 'locked')
      log.error(
        fields,
        'database server used by another service with a copy of this control database, nothing is created or dropped there',
      )
    if (now === 'not-ours' && obstacle !== 'not-ours')
      log.error(
        { ...fields, reason: notOurs(server, address) },
        'database server used by another control database more recently than by this one, nothing is created or dropped there',
      )
    if (now === undefined && obstacle !== undefined)
      log.info(fields, 'database server no longer used by another service')
    obstacle = now
  }

  let running: Promise<void> | undefined
  async function takeOrVerify(): Promise<void> {
    if ((held || waiting) && !isLeader()) await release()
    if (!held) return note(await take())
    const client = held
    // The generation is checked too: the lock belongs to one database of the server, so a service that connects to
    // another database of the server can take the same lock there.
    if (!(await lineage.isOurs())) {
      await release()
      return note('not-ours')
    }
    await excludeWaiters(client).catch(async (err) => {
      if (held === client) await release()
      throw err
    })
  }

  const refusal = (): string | undefined => {
    if (obstacle === 'not-ours') return notOurs(server, address)
    return (
      obstacle && `another service with a copy of this control database uses the database server ${server} (${address})`
    )
  }

  return {
    refusal,
    async check() {
      running ??= takeOrVerify().finally(() => {
        running = undefined
      })
      await running
      const text = refusal()
      if (text !== undefined) throw new ServerUnavailable(text)
    },
    async claim() {
      if (await lineage.isOurs()) return false
      const client = await connect()
      try {
        if (!(await tryLock(client)))
          throw new ServerUnavailable(
            `a service with another control database uses the database server ${server} (${address}): stop it first`,
          )
        await lineage.renew(client)
        if (!(await lineage.isOurs()))
          throw new Error(
            `the account of the database server ${server} (${address}) cannot comment on the role that identifies the server: grant this role to the account, with the admin option`,
          )
        return true
      } finally {
        await client.end().catch(() => undefined)
      }
    },
    close: release,
  }
}

/** The tenants of a server, which are created, migrated, set aside and dropped only if the guard permits it. */
export const guarded = (tenants: Tenants, guard: ServerGuard): Tenants => ({
  ...tenants,
  checkOwned: guard.check,
  async create(...args) {
    await guard.check()
    await tenants.create(...args)
  },
  async setAside(...args) {
    await guard.check()
    await tenants.setAside(...args)
  },
  async dropSetAside(...args) {
    await guard.check()
    await tenants.dropSetAside(...args)
  },
  async drop(...args) {
    await guard.check()
    return await tenants.drop(...args)
  },
})
