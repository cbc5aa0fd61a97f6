import type { SeedResult } from '@storey/contract'
import { closeToPublic, type Database, isDenied, type Migration, type SchemaObjects } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { derivePassword } from '@storey/kit/secrets'
import { findOtherOwner } from './other-owner.ts'
import { explainRefusals, type ServerRole } from './refusals.ts'
import { scramVerifier } from './scram.ts'
import { ensureTemplate, readExpectedSchema } from './template.ts'
import { formatMetadata, isIncomplete, parseMetadata, type TenantMetadata } from './tenant-metadata.ts'
import * as store from './tenants.store.ts'

/** A sandbox whose database is complete. */
export interface SeededSandbox {
  id: string
  requestedAt: Date
  /** When an operator last resumed the sandbox; null or absent: never. */
  resumedAt?: Date | null
}

/**
 * Creates and drops tenant databases and roles on one server. The only data that it reads in a tenant database is the
 * organization, to find out to which sandbox the database belongs.
 */
export interface Tenants {
  /** Builds the template of tenant databases if it does not exist yet, so that the first `create` is fast. */
  prepare(): Promise<void>
  /** Creates a database with the newest schema and without data, and its role. Drops an existing database first. */
  create(sandboxId: string, requestedAt: Date): Promise<void>
  /** Records that the database is complete, and for which request it was seeded. */
  recordSeeded(sandbox: SeededSandbox, result: SeedResult): Promise<void>
  /** Records the request and the result for a database without metadata, and marks the database as not verified. */
  recordUnverified(sandboxId: string, requestedAt: Date, result: SeedResult): Promise<void>
  /**
   * Whether a backup may be in the process of being restored: a restore tool is connected to the database, or a session
   * of a role other than the sandbox's own is active in it.
   */
  isBeingRestored(sandboxId: string): Promise<boolean>
  /** The schema objects of a database at this version. Cached, because a database must be built to read them. */
  expectedSchema(version: number): Promise<SchemaObjects>
  /** The metadata of the database; undefined when the database does not exist. */
  metadataOf(sandboxId: string): Promise<TenantMetadata | undefined>
  /**
   * The other sandbox to which the database belongs, because somebody renamed it or restored a backup under this name;
   * `UNKNOWN_OWNER` if the content of the database cannot be read; undefined if the database is the sandbox's own or
   * does not exist. Unlike `metadataOf`, this opens a database whose metadata names no sandbox, such as one of an
   * earlier version. It changes nothing, so the content is unknown if the sandbox's role cannot log in.
   */
  otherOwnerOf(sandboxId: string): Promise<string | undefined>
  /**
   * Drops the database and the role. A database that belongs to another sandbox, or to an unknown one, is renamed
   * instead, to a name that the service does not use. Returns false if the role is kept, because something belongs to
   * it.
   */
  drop(sandboxId: string): Promise<boolean>
  /**
   * Renames the database, unless it is incomplete, to a name that the service does not use. The renamed database
   * remains until `dropSetAside` or an operator drops it.
   */
  setAside(sandboxId: string): Promise<void>
  /** Whether there are databases of the sandbox that `setAside` has renamed. */
  hasSetAside(sandboxId: string): Promise<boolean>
  /** Drops the databases of the sandbox that `setAside` has renamed. */
  dropSetAside(sandboxId: string): Promise<void>
  /** The names of databases that `setAside` or `drop` has renamed. */
  listSetAside(): Promise<string[]>
  /**
   * Throws ServerUnavailable if another control database uses the server. The caller must then change nothing there.
   */
  checkOwned(): Promise<void>
  /**
   * Makes the address that `url` returns usable: resets the password of the role, and creates the role if the database
   * was restored without it.
   */
  ensureRole(sandboxId: string): Promise<void>
  /** The address with which the sandbox's own role opens the sandbox's own database. */
  url(sandboxId: string): string
  /** The databases and roles of the sandboxes in this range of ids; without a range, those of all sandboxes. */
  present(range?: IdRange): Promise<PresentTenants>
  /** The number of open connections to the database of each sandbox. */
  connections(): Promise<Map<string, number>>
  /** The size of a database; 0 when it does not exist. */
  bytesOf(sandboxId: string): Promise<number>
  /**
   * Ends the sessions of the sandbox's role except that of one server process, and prevents new ones until `ensureRole`
   * is called.
   */
  closeExcept(sandboxId: string, pid: number): Promise<void>
  /** Ends a session of the sandbox's role in the sandbox's database, by its server process. */
  endSession(sandboxId: string, pid: number): Promise<void>
}

export interface TenantsOptions {
  /** A database of the server, opened with a role that may create databases and roles. */
  admin: Database
  /** The address of that database. */
  serverUrl: string
  /** The name of the setting that contains `serverUrl`, for error messages. */
  setting?: string
  masterSecret: string
  installationTag: string
  migrations: readonly Migration[]
  log: Log
}

/** How the names of all databases and roles of an installation start. */
export const namePrefix = (installationTag: string): string => `storey_${installationTag}_`

export function createTenants(options: TenantsOptions): Tenants {
  const { admin, installationTag, masterSecret, log } = options
  const role: ServerRole = { admin, setting: options.setting ?? 'DATABASE_URL' }
  const prefix = namePrefix(installationTag)
  const nameOf = (sandboxId: string) => prefix + sandboxId
  const passwordOf = (sandboxId: string) => derivePassword(masterSecret, `tenant:${sandboxId}`)
  const expected = new Map<number, SchemaObjects>()
  /** Sandboxes whose role could not be dropped. Each is logged once. */
  const kept = new Set<string>()
  let known: string | undefined
  /**
   * `ensureTemplate` occupies a connection while it waits for its lock, so it is called only if the template is not
   * known to exist.
   */
  const template = async (): Promise<string> => {
    if (known === undefined || (await store.findDatabase(admin, known)) === undefined) {
      known = await ensureTemplate({ ...options, prefix })
    }
    return known
  }
  async function comment(sandboxId: string, metadata: TenantMetadata): Promise<void> {
    const name = nameOf(sandboxId)
    const row = await store.findDatabase(admin, name)
    const verified = row && { oid: row.oid, cluster: row.cluster, sandboxId }
    await store.commentOnDatabase(admin, name, formatMetadata(metadata, verified))
  }
  async function metadataOf(sandboxId: string): Promise<TenantMetadata | undefined> {
    const row = await store.findDatabase(admin, nameOf(sandboxId))
    return row && parseMetadata(row.comment, { ...row, sandboxId })
  }
  async function ensureRole(sandboxId: string): Promise<void> {
    const name = nameOf(sandboxId)
    const verifier = await scramVerifier(passwordOf(sandboxId))
    if (!(await store.lacksRole(admin, name))) {
      // If the service may not change the role, the stack still starts as long as the role has the derived password.
      return await store.setPassword(admin, name, verifier).catch((err) => {
        if (!isDenied(err)) throw err
        log.warn({ sandboxId, reason: err.message }, 'password of sandbox role not reset')
      })
    }
    await explainRefusals(role, [], () => store.createRole(admin, name, verifier))
    // This fails if a superuser restored the database and the administrator is not a superuser. The database then
    // keeps its owner, and the role has the privileges that were granted to it.
    await store.setDatabaseOwner(admin, name).catch(() => undefined)
  }
  function urlOf(sandboxId: string): string {
    const url = new URL(options.serverUrl)
    url.username = nameOf(sandboxId)
    url.password = passwordOf(sandboxId)
    url.pathname = `/${nameOf(sandboxId)}`
    return url.href
  }
  const sandboxOfRole = (name: string): string | undefined => {
    const id = name.startsWith(prefix) ? name.slice(prefix.length) : ''
    return SANDBOX_ID.test(id) ? id : undefined
  }
  async function otherOwnerOf(sandboxId: string): Promise<string | undefined> {
    const row = await store.findDatabase(admin, nameOf(sandboxId))
    if (row === undefined) return undefined
    const metadata = parseMetadata(row.comment, { ...row, sandboxId })
    if (metadata.ofSandbox !== undefined || !metadata.isUnverified) return metadata.ofSandbox
    return await findOtherOwner({ sandboxId, url: urlOf(sandboxId), ofRole: sandboxOfRole(row.owner), log })
  }
  async function setForeignAside(sandboxId: string): Promise<void> {
    const name = nameOf(sandboxId)
    if ((await metadataOf(sandboxId))?.isUnverified) await ensureRole(sandboxId)
    const ofSandbox = await otherOwnerOf(sandboxId)
    if (ofSandbox === undefined) return
    const database = await rename(name, SET_ASIDE)
    if (database)
      log.warn({ sandboxId, ofSandbox, database }, 'database of another sandbox set aside instead of dropped')
  }
  async function rename(name: string, infix: string): Promise<string | undefined> {
    const row = await store.findDatabase(admin, name)
    if (row === undefined) return undefined
    const database = name + infix + row.oid
    await store.renameDatabase(admin, name, database)
    return database
  }
  const drop = (sandboxId: string) =>
    explainRefusals(role, [nameOf(sandboxId)], async () => {
      await setForeignAside(sandboxId)
      await store.dropDatabase(admin, nameOf(sandboxId))
      if (await store.dropRole(admin, nameOf(sandboxId))) return true
      if (!kept.has(sandboxId)) log.warn({ sandboxId }, 'sandbox role kept, because it owns objects')
      kept.add(sandboxId)
      return false
    })

  return {
    async prepare() {
      await template()
    },
    drop,
    async setAside(sandboxId) {
      const name = nameOf(sandboxId)
      await explainRefusals(role, [name], async () => {
        const metadata = await metadataOf(sandboxId)
        if (metadata === undefined || isIncomplete(metadata)) return
        const database = await rename(name, REPLACED)
        log.warn(
          { sandboxId, database, reason: 'creation or reset requested over three minutes before the service started' },
          'sandbox database set aside',
        )
      })
    },
    hasSetAside: async (sandboxId) => (await store.listDatabases(admin, nameOf(sandboxId) + REPLACED)).length > 0,
    async dropSetAside(sandboxId) {
      for (const name of await store.listDatabases(admin, nameOf(sandboxId) + REPLACED)) {
        await explainRefusals(role, [name], () => store.dropDatabase(admin, name))
      }
    },
    listSetAside: async () =>
      (await store.listDatabases(admin, `${prefix}sbx_`)).filter((name) =>
        [SET_ASIDE, REPLACED].some((infix) => name.includes(infix)),
      ),
    checkOwned: async () => undefined,
    async create(sandboxId, requestedAt) {
      const name = nameOf(sandboxId)
      await explainRefusals(role, [name, ...(known === undefined ? [] : [known])], async () => {
        await drop(sandboxId)
        await store.createRole(admin, name, await scramVerifier(passwordOf(sandboxId)))
        await store.cloneDatabase(admin, name, await template())
        await comment(sandboxId, { requestedAt })
      })
    },
    async recordSeeded({ id, requestedAt, resumedAt }, result) {
      // A database that an operator created for a restore is open to all roles.
      await closeToPublic(admin, nameOf(id))
      await comment(id, { requestedAt, result, ...(resumedAt ? { resumedAt } : {}) })
    },
    recordUnverified: (sandboxId, requestedAt, result) =>
      store.commentOnDatabase(admin, nameOf(sandboxId), formatMetadata({ requestedAt, result })),
    async expectedSchema(version) {
      // The schema of a newer program is unknown: the database is refused for that reason later.
      if (version > options.migrations.length) return new Set()
      const objects = expected.get(version) ?? (await readExpectedSchema({ ...options, prefix }, version))
      expected.set(version, objects)
      return objects
    },
    isBeingRestored: (sandboxId) => store.hasForeignSession(admin, nameOf(sandboxId)),
    metadataOf,
    otherOwnerOf,
    ensureRole,
    url: urlOf,
    async present({ after, upTo } = ALL_IDS) {
      const idOf = (name: string) => name.slice(prefix.length)
      const isOfSandbox = (name: string) => SANDBOX_ID.test(idOf(name))
      const range = { after: prefix + after, upTo: prefix + upTo }
      const databases = await store.listDatabasesWithComments(admin, range)
      const roles = await store.listRoles(admin, range)
      return {
        databases: new Map(
          databases
            .filter(({ name }) => isOfSandbox(name))
            .map(({ name, comment, isWhole, ...database }) => [
              idOf(name),
              isWhole ? parseMetadata(comment, { ...database, sandboxId: idOf(name) }) : { isHalfDropped: true },
            ]),
        ),
        roles: roles.filter(isOfSandbox).map(idOf),
      }
    },
    async connections() {
      const rows = await store.countConnections(admin, `${prefix}sbx_`)
      return new Map(rows.map(({ name, count }) => [name.slice(prefix.length), count]))
    },
    bytesOf: (sandboxId) => store.databaseBytes(admin, nameOf(sandboxId)),
    closeExcept: (sandboxId, pid) => store.closeExcept(admin, nameOf(sandboxId), pid),
    endSession: (sandboxId, pid) => store.endSession(admin, nameOf(sandboxId), pid),
  }
}

/** The text between the old name and the object identifier, in the new name of a database of another sandbox. */
const SET_ASIDE = '_set_aside_'
/** The same for the sandbox's own database, which a creation or a reset replaces. */
const REPLACED = '_replaced_'

/** Ids of sandboxes after `after`, and up to `upTo`, in byte order. */
export interface IdRange {
  after: string
  upTo: string
}

/** The ids that `newSandboxId` creates. A database with a longer name, such as `…_old`, is an operator's own copy. */
const SANDBOX_ID = /^sbx_[0-9a-z]{1,16}$/

/** After its prefix an id has only lower-case letters and digits, which come before `~`. */
export const ALL_IDS: IdRange = { after: 'sbx_', upTo: 'sbx_~' }

/** The databases on the server by sandbox id, with their metadata, and the sandbox ids that have a role. */
export interface PresentTenants {
  databases: Map<string, TenantMetadata>
  roles: string[]
}
