import type { SeedResult } from '@storey/contract'
import { type Database, isDenied, type Migration } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { derivePassword } from '@storey/kit/secrets'
import { explainRefusals } from './refusals.ts'
import { scramVerifier } from './scram.ts'
import { ensureTemplate } from './template.ts'
import { formatMetadata, parseMetadata, type TenantMetadata } from './tenant-metadata.ts'
import * as store from './tenants.store.ts'

/** Creates and drops tenant databases and roles. It never reads their data. */
export interface Tenants {
  /** Creates an empty database with the newest schema and its own role, replacing an existing one. */
  create(sandboxId: string, requestedAt: Date): Promise<void>
  /** Records that seeding for this request is complete. */
  recordSeeded(sandboxId: string, requestedAt: Date, result: SeedResult): Promise<void>
  /** The metadata of the database; undefined when the database does not exist. */
  metadataOf(sandboxId: string): Promise<TenantMetadata | undefined>
  drop(sandboxId: string): Promise<void>
  /**
   * Makes the address that `url` returns usable: resets the password of the role, and creates the role if the database
   * was restored without it.
   */
  ensureRole(sandboxId: string): Promise<void>
  /** The address with which the sandbox's own role opens the sandbox's own database. */
  url(sandboxId: string): string
  present(): Promise<PresentTenants>
}

export interface TenantsOptions {
  control: Database
  /** Address of the control database, for a role that may create databases and roles. */
  serverUrl: string
  masterSecret: string
  installationTag: string
  migrations: readonly Migration[]
  log: Log
}

const prefixOf = (installationTag: string) => `storey_${installationTag}_`

export async function createTenants(options: TenantsOptions): Promise<Tenants> {
  const { control, installationTag } = options
  const prefix = prefixOf(installationTag)
  const name = await ensureTemplate({ ...options, prefix })
  /** Its lock takes a connection for as long as it waits, so it is only taken when the template has to be built again. */
  const template = async () =>
    (await store.findDatabase(control, name)) === undefined ? await ensureTemplate({ ...options, prefix }) : name
  const nameOf = (sandboxId: string) => prefix + sandboxId
  const { ensureRole, url, passwordOf } = tenantAddresses(options)

  const drop = (sandboxId: string) => dropTenant(control, installationTag, sandboxId)

  return {
    drop,
    create: (sandboxId, requestedAt) =>
      explainRefusals(control, [nameOf(sandboxId), name], async () => {
        await drop(sandboxId)
        await store.createRole(control, nameOf(sandboxId), scramVerifier(passwordOf(sandboxId)))
        await store.cloneDatabase(control, nameOf(sandboxId), await template())
        await store.commentOnDatabase(control, nameOf(sandboxId), formatMetadata({ requestedAt }))
      }),
    recordSeeded: (sandboxId, requestedAt, result) =>
      store.commentOnDatabase(control, nameOf(sandboxId), formatMetadata({ requestedAt, result })),
    async metadataOf(sandboxId) {
      const row = await store.findDatabase(control, nameOf(sandboxId))
      return row && parseMetadata(row.comment)
    },
    ensureRole,
    url,
    present: () => presentTenants(control, installationTag),
  }
}

/** The connection URLs of tenant databases, with the roles and passwords in them. */
export function tenantAddresses(
  options: Pick<TenantsOptions, 'control' | 'serverUrl' | 'masterSecret' | 'installationTag' | 'log'>,
) {
  const nameOf = (sandboxId: string) => prefixOf(options.installationTag) + sandboxId
  const passwordOf = (sandboxId: string) => derivePassword(options.masterSecret, `tenant:${sandboxId}`)
  return {
    passwordOf,
    async ensureRole(sandboxId: string): Promise<void> {
      const name = nameOf(sandboxId)
      const verifier = scramVerifier(passwordOf(sandboxId))
      if (!(await store.lacksRole(options.control, name))) {
        // Without the right to change the role, the stack starts if the password is still the derived one.
        return await store.setPassword(options.control, name, verifier).catch((err) => {
          if (!isDenied(err)) throw err
          options.log.warn({ sandboxId, reason: err.message }, 'password of sandbox role not reset')
        })
      }
      await explainRefusals(options.control, [], () => store.createRole(options.control, name, verifier))
      // This fails if a superuser restored the database and the administrator is not a superuser. The database then
      // keeps
      // its owner, and the role has the privileges that were granted to it.
      await store.setDatabaseOwner(options.control, name).catch(() => undefined)
    },
    url(sandboxId: string): string {
      const url = new URL(options.serverUrl)
      url.username = nameOf(sandboxId)
      url.password = passwordOf(sandboxId)
      url.pathname = `/${nameOf(sandboxId)}`
      return url.href
    },
  }
}

/** The databases on the server by sandbox id, with their metadata, and the sandbox ids that have a role. */
export interface PresentTenants {
  databases: Map<string, TenantMetadata>
  roles: string[]
}

export async function presentTenants(control: Database, installationTag: string): Promise<PresentTenants> {
  const prefix = prefixOf(installationTag)
  const idOf = (name: string) => name.slice(prefix.length)
  const databases = await store.listDatabasesWithComments(control, `${prefix}sbx_`)
  const roles = await store.listRoles(control, `${prefix}sbx_`)
  return {
    databases: new Map(
      databases.map(({ name, comment, isWhole }) => [
        idOf(name),
        isWhole ? parseMetadata(comment) : { isHalfDropped: true },
      ]),
    ),
    roles: roles.map(idOf),
  }
}

export async function dropTenant(control: Database, installationTag: string, sandboxId: string): Promise<void> {
  const name = prefixOf(installationTag) + sandboxId
  await explainRefusals(control, [name], async () => {
    await store.dropDatabase(control, name)
    await store.dropRole(control, name)
  })
}

/** Open connections to the databases of sandboxes, by sandbox. */
export async function tenantConnections(control: Database, installationTag: string): Promise<Map<string, number>> {
  const prefix = prefixOf(installationTag)
  const rows = await store.countConnections(control, `${prefix}sbx_`)
  return new Map(rows.map(({ name, count }) => [name.slice(prefix.length), count]))
}

export const tenantBytes = (control: Database, installationTag: string, sandboxId: string): Promise<number> =>
  store.databaseBytes(control, prefixOf(installationTag) + sandboxId)
