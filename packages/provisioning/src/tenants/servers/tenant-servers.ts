import { countOf } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import { elapsedMs } from '@storey/kit/clock'
import { type Database, type Migration, openDatabase } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { StartupError } from '@storey/kit/startup-error'
import { within } from '@storey/kit/within'
import { newServerId } from '../../ids.ts'
import { createTenants, namePrefix, type Tenants } from '../tenants.ts'
import { ADMIN_POOL, addressOf, checkServer, stackConnections } from './check-server.ts'
import { createLeastLoaded } from './least-loaded.ts'
import { createLineage } from './lineage.ts'
import { createMarker, hasTenants, readMarkers } from './markers.store.ts'
import { createServerGuard, guarded, notOurs, type ServerGuard } from './server-guard.ts'
import { ServerUnavailable } from './server-unavailable.ts'
import * as store from './servers.store.ts'

/** The id of the server of the control database. */
export const CONTROL_SERVER = 'control'

/** An entry of TENANT_DATABASE_URLS: an address, or the server of the control database. */
export type ServerEntry = URL | typeof CONTROL_SERVER

export interface ServerState {
  /** Undefined if the server has not answered yet and no known server has its address. */
  id: string | undefined
  address: string
  isUp: boolean
  /** Why the server is not up. */
  reason?: string
  /** Whether the settings allow new sandboxes on this server. An operator can still drain it. */
  takesNew: boolean
  /** Why nothing is created or dropped on this server. Set only if another control database uses the server. */
  refusal?: string
}

/** The servers that have databases of sandboxes. */
export interface TenantServers {
  /** The tenants of a server. Throws ServerUnavailable if the server does not answer. */
  of(serverId: string): Tenants
  isUp(serverId: string): boolean
  /** Whether the server answers now and is still the same server, since another server can get its address. */
  verify(serverId: string): Promise<boolean>
  list(): ServerState[]
  /** Why nothing may be created or dropped on a server now, because another control database uses it. */
  refusalOf(serverId: string): Promise<string | undefined>
  /**
   * Claims a server for this control database, although another control database has used the server more recently.
   * False: the server belongs to this control database already. Throws ServerUnavailable if the service of the other
   * control database runs.
   */
  claim(serverId: string): Promise<boolean>
  /** The servers that answer, with their tenants. */
  present(): { id: string; tenants: Tenants }[]
  /** How many connections to this server all stacks together may open. */
  connectionsOf(serverId: string): number
  /** Chooses and records the server of a sandbox that has no server, or whose server does not answer. */
  place(sandboxId: string): Promise<string>
  /**
   * Makes `place` avoid a server for five minutes, because provisioning on it failed. Returns false if no other server
   * takes new sandboxes.
   */
  avoid(serverId: string): boolean
  /** Finds a server by its id, or by its host and port. */
  find(idOrAddress: string): ServerState | undefined
  /** From now on the servers are checked every five seconds. */
  start(): void
  close(): Promise<void>
}

export interface TenantServersOptions {
  control: Database
  /** The address of the control database. */
  serverUrl: string
  /** Empty: all sandboxes are on the server of the control database. */
  entries?: readonly ServerEntry[]
  /** The connections that service and stacks may open on each of these servers; undefined: all that a server allows. */
  connections?: number | undefined
  /** How many connections to the server of the control database all stacks together may open. */
  controlStackConnections?: number
  masterSecret: string
  installationTag: string
  migrations: readonly Migration[]
  log: Log
  /** Whether a server's template of tenant databases is built when the server is identified, and not on first use. */
  prepare?: boolean
  /** Whether this process is the leader of the control planes. Absent: the process is an operator command. */
  isLeader?: () => boolean
  /** Whether a service with this control database runs. Absent: not known, so no server gets a `ServerGuard`. */
  isServiceRunning?: () => Promise<boolean>
  /** If true, nothing is changed: a server that the service has not used yet counts as unavailable. */
  isReadOnly?: boolean
}

interface Entry {
  url: string
  address: string
  admin: Database
  guard?: ServerGuard
  id: string | undefined
  tenants: Tenants | undefined
  stackConnections: number
  failure: string | undefined
  /** For operator commands: why nothing may be created or dropped on this server. */
  refusal?: string
  avoidUntil: number
  takesNew: boolean
}

const CHECK_EVERY_MS = 5_000
const ANSWER_LIMIT_MS = 4_000
const AVOID_MS = 5 * 60_000

/**
 * Identifies the servers of `entries`. After `start` they are checked every five seconds. Without entries there is only
 * the server of the control database, which is neither identified nor checked.
 */
export async function openTenantServers(options: TenantServersOptions): Promise<TenantServers> {
  const { control, log, entries: listed = [] } = options
  const prefix = namePrefix(options.installationTag)
  const own = createTenants({ ...options, admin: control })
  const isOwnListed = listed.includes(CONTROL_SERVER) || listed.length === 0
  const controlEntry: Entry = {
    ...{
      url: options.serverUrl,
      address: addressOf(options.serverUrl),
      admin: control,
      id: CONTROL_SERVER,
      tenants: own,
    },
    stackConnections: options.controlStackConnections ?? Number.POSITIVE_INFINITY,
    ...{ failure: undefined, avoidUntil: 0, takesNew: isOwnListed },
  }
  const others: Entry[] = listed.flatMap((url) => (url === CONTROL_SERVER ? [] : [newEntry(url.href, log)]))
  const all = () => [controlEntry, ...others]
  const leastLoaded = createLeastLoaded(() => store.readLoads(control))
  const loop = createLoop({ name: 'database-servers', log, run: watch, everyMs: CHECK_EVERY_MS })

  /** Finds out which server answers at this address. */
  async function identify(entry: Entry): Promise<void> {
    await checkServer(entry.admin, entry.url)
    const stacks = await stackConnections(entry.admin, entry.url, options.connections)
    const id = await store.withServersLock(control, () => recognize(entry))
    const same = all().find((other) => other !== entry && other.id === id && other.tenants !== undefined)
    if (same && id !== CONTROL_SERVER)
      throw new StartupError(
        `TENANT_DATABASE_URLS lists the same server twice: ${same.address} and ${entry.address} are both ${id}.`,
      )
    if (id === CONTROL_SERVER) return await becomeControl(entry)
    const setting = `TENANT_DATABASE_URLS for ${id}`
    const tenants = createTenants({ ...options, admin: entry.admin, serverUrl: entry.url, setting })
    if (options.prepare) await tenants.prepare()
    const { isServiceRunning, isLeader = () => false, installationTag } = options
    const { url, address, admin } = entry
    const lineage = createLineage({ control, admin, serverId: id, installationTag, log })
    const guard =
      isServiceRunning &&
      createServerGuard({ url, server: id, address, installationTag, lineage, log, isLeader, isServiceRunning })
    // If the check fails, the server counts as ours: before the first start of this version, the control database has
    // no table of generations, and `operator doctor` does not create it.
    if (!options.isLeader && !(await lineage.isOurs().catch(() => true))) entry.refusal = notOurs(id, address)
    Object.assign(entry, { id, tenants: guard ? guarded(tenants, guard) : tenants, guard, stackConnections: stacks })
  }

  async function recognize({ admin, address }: Entry): Promise<string> {
    const markers = await readMarkers(admin, prefix)
    if (markers.length > 1)
      throw new StartupError(
        `The server at ${address} has the roles of several servers (${markers.join(', ')}): drop all of these roles except the server's own.`,
      )
    const known = markers.length === 0 ? await knownAt(address) : undefined
    if (known !== undefined && !(await hasTenants(admin, prefix)))
      throw new Error(`another server answers at ${address}: it has neither the role nor the databases of ${known}`)
    if (options.isReadOnly) return markers[0] ?? Promise.reject(new Error('the service has not used this server yet'))
    const id = markers[0] ?? known ?? newServerId()
    if (id !== CONTROL_SERVER) await store.saveServer(control, id, address)
    if (markers.length === 0) await createMarker(admin, prefix, id)
    return id
  }

  /** The id of the server that was at this address before, if it has sandboxes. */
  async function knownAt(address: string): Promise<string | undefined> {
    const known = (await store.listServers(control)).find((server) => server.address === address)
    return known && (await store.countOn(control, known.id, 1)).sandboxes > 0 ? known.id : undefined
  }

  /** The address leads to the server of the control database, so that server takes new sandboxes too. */
  async function becomeControl(entry: Entry): Promise<void> {
    if (controlEntry.takesNew)
      throw new StartupError(
        `TENANT_DATABASE_URLS lists the same server twice: ${entry.address} is the server of the control database.`,
      )
    controlEntry.takesNew = true
    others.splice(others.indexOf(entry), 1)
    await entry.admin.close()
  }

  async function markControl(): Promise<void> {
    await store.withServersLock(control, async () => {
      const markers = await readMarkers(control, prefix)
      if (markers.length === 0) return await createMarker(control, prefix, CONTROL_SERVER)
      if (markers.join() === CONTROL_SERVER) return
      throw new StartupError(
        `The control database is on the database server ${markers.join(', ')}, which is used for databases of sandboxes. Restore the control database on its earlier server, or on a server without sandboxes.`,
      )
    })
  }

  async function check(entry: Entry): Promise<void> {
    if (entry.tenants === undefined) {
      await within(ANSWER_LIMIT_MS, entry.admin.ping())
      await identify(entry)
      return
    }
    const markers = await within(ANSWER_LIMIT_MS, readMarkers(entry.admin, prefix))
    if (!markers.includes(entry.id!))
      throw new Error(`another server answers at ${entry.address}: it does not have the role of ${entry.id}`)
    // The leader takes the server's lock. Without the lock the server can be used, but nothing is created or dropped
    // there.
    if (options.isLeader) await entry.guard?.check().catch(() => undefined)
  }

  const checkAndRecord = (entry: Entry): Promise<void> =>
    check(entry).then(
      () => record(entry, undefined),
      (err: Error) => record(entry, err.message),
    )

  async function verify(serverId: string): Promise<boolean> {
    const entry = upEntry(serverId)
    if (entry && entry !== controlEntry) await checkAndRecord(entry)
    return upEntry(serverId) !== undefined
  }

  function record(entry: Entry, failure: string | undefined): void {
    const fields = { server: entry.id, address: entry.address }
    if (failure !== undefined && entry.failure === undefined)
      log.error({ ...fields, reason: failure }, 'database server unavailable, its sandboxes are unavailable too')
    if (failure === undefined && entry.failure !== undefined) log.info(fields, 'database server available again')
    entry.failure = failure
  }

  async function watch(): Promise<void> {
    await Promise.all([...others].map(checkAndRecord))
  }

  /**
   * Identifies all servers at the start. Throws a StartupError if an operator must change a server or a setting first.
   * After any other failure, such as a missing answer, the server only counts as unavailable.
   */
  async function checkAll(): Promise<void> {
    if (!options.isReadOnly) await markControl()
    const answers = await Promise.all(
      others.map((entry) =>
        within(ANSWER_LIMIT_MS, entry.admin.ping()).then(
          () => undefined,
          (err: Error) => err,
        ),
      ),
    )
    for (const [i, entry] of [...others].entries()) {
      const failure = answers[i] ?? (await identify(entry).then(() => undefined, asFailure))
      if (failure instanceof StartupError) throw failure
      if (failure) {
        entry.id = (await store.listServers(control)).find(({ address }) => address === entry.address)?.id
        record(entry, failure.message)
      }
    }
  }

  /** Throws a StartupError if a server with databases of sandboxes is not listed. */
  async function refuseUnlisted(): Promise<void> {
    const ids = all().flatMap(({ id }) => id ?? [])
    const texts: string[] = []
    for (const { id, address } of await store.listServers(control)) {
      const there = ids.includes(id) ? undefined : await store.countOn(control, id, SHOWN)
      if (there && there.sandboxes > 0) texts.push(`${id} (${address}), with ${nameSome(there)}`)
    }
    if (texts.length === 0) return
    // A server that has not answered yet could be the unlisted server, with a new address.
    if (others.some(({ id }) => id === undefined))
      return log.warn({ servers: texts }, 'sandboxes on database servers that have not answered yet')
    throw new StartupError(
      `TENANT_DATABASE_URLS does not list all servers with sandboxes: ${texts.join('; ')}. Add the server again. Before you remove it from the list, move its sandboxes (operator sandbox move).`,
    )
  }

  const upEntry = (serverId: string): Entry | undefined =>
    all().find(({ id, tenants, failure }) => id === serverId && tenants !== undefined && failure === undefined)
  const candidates = (): Entry[] =>
    all().filter(({ takesNew, tenants, failure }) => takesNew && tenants !== undefined && failure === undefined)

  try {
    if (listed.length > 0) await checkAll()
    await refuseUnlisted()
    if (options.prepare) await own.prepare()
  } catch (err) {
    await Promise.all(others.map(({ admin }) => admin.close()))
    throw err
  }

  return {
    of(serverId) {
      const entry = upEntry(serverId)
      if (!entry) throw new ServerUnavailable(`the database server ${serverId} is unavailable`)
      return entry.tenants!
    },
    isUp: (serverId) => upEntry(serverId) !== undefined,
    verify,
    list: () => all().map(stateOf),
    async refusalOf(serverId) {
      const guard = upEntry(serverId)?.guard
      await guard?.check().catch((err) => {
        if (guard.refusal() === undefined) throw err
      })
      return guard?.refusal()
    },
    claim: async (serverId) => (await upEntry(serverId)?.guard?.claim()) ?? false,
    present: () =>
      all().flatMap(({ id, tenants, failure }) => (tenants && id && failure === undefined ? [{ id, tenants }] : [])),
    connectionsOf: (serverId) => upEntry(serverId)?.stackConnections ?? Number.POSITIVE_INFINITY,
    async place(sandboxId) {
      const draining = listed.length > 0 ? await store.listDraining(control) : new Set<string>()
      const able = candidates().filter(({ id }) => !draining.has(id!))
      const willing = able.filter(({ avoidUntil }) => avoidUntil <= elapsedMs())
      const ids = (willing.length > 0 ? willing : able).map(({ id }) => id!)
      if (ids.length === 0) throw new ServerUnavailable('no database server takes new sandboxes now')
      const id = ids.length > 1 ? await leastLoaded.choose(ids) : ids[0]!
      if (!(await verify(id))) throw new ServerUnavailable(`the database server ${id} is unavailable`)
      await store.setServer(control, sandboxId, id)
      return id
    },
    avoid(serverId) {
      const entry = all().find(({ id }) => id === serverId)
      if (entry) entry.avoidUntil = elapsedMs() + AVOID_MS
      return candidates().some(({ id }) => id !== serverId)
    },
    find: (idOrAddress) =>
      all()
        .map(stateOf)
        .find(({ id, address }) => id === idOrAddress || address === idOrAddress),
    start: () => void (others.length > 0 && loop.start()),
    async close() {
      await loop.stop()
      await Promise.all(others.map(async ({ admin, guard }) => Promise.all([admin.close(), guard?.close()])))
    },
  }
}

const asFailure = (err: Error) => err

const SHOWN = 5
const nameSome = ({ sandboxes, slugs }: { sandboxes: number; slugs: readonly string[] }) =>
  `${countOf(sandboxes, 'sandbox', 'sandboxes')} (${slugs.join(', ')}${sandboxes > slugs.length ? ', …' : ''})`

function stateOf({ id, address, tenants, failure, takesNew, ...entry }: Entry): ServerState {
  const isUp = tenants !== undefined && failure === undefined
  const refusal = isUp ? (entry.refusal ?? entry.guard?.refusal()) : undefined
  return {
    ...{ id, address, takesNew, isUp },
    ...(failure === undefined ? {} : { reason: failure }),
    ...(refusal === undefined ? {} : { refusal }),
  }
}

function newEntry(url: string, log: Log): Entry {
  const admin = openDatabase({ url, log, applicationName: 'storey-tenants', maxConnections: ADMIN_POOL })
  const state = { id: undefined, tenants: undefined, failure: undefined, avoidUntil: 0, takesNew: true }
  return { url, address: addressOf(url), admin, stackConnections: Number.POSITIVE_INFINITY, ...state }
}
