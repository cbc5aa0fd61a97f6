import type { Database, Migration } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { derivePassword } from '@storey/kit/secrets'
import { scramVerifier } from './scram.ts'
import { ensureTemplate } from './template.ts'
import * as store from './tenants.store.ts'

/** The tenants' databases and roles on the server. It makes and drops them, and never looks inside. */
export interface Tenants {
  /** An empty database on the newest schema, with a role of its own. What was there before is gone. */
  create(sandboxId: string): Promise<void>
  drop(sandboxId: string): Promise<void>
  /** The address works again, whatever the role did to its password. */
  mend(sandboxId: string): Promise<void>
  /** The address with which the sandbox's own role opens the sandbox's own database. */
  url(sandboxId: string): string
  /** Every sandbox id that has a database or a role on the server. */
  present(): Promise<{ databases: string[]; roles: string[] }>
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
  const { control, masterSecret, installationTag } = options
  const prefix = prefixOf(installationTag)
  const template = await ensureTemplate({ ...options, prefix })
  const nameOf = (sandboxId: string) => prefix + sandboxId
  const passwordOf = (sandboxId: string) => derivePassword(masterSecret, `tenant:${sandboxId}`)

  async function drop(sandboxId: string): Promise<void> {
    await store.dropDatabase(control, nameOf(sandboxId))
    await store.dropRole(control, nameOf(sandboxId))
  }

  return {
    drop,
    async create(sandboxId) {
      await drop(sandboxId)
      await store.createRole(control, nameOf(sandboxId), scramVerifier(passwordOf(sandboxId)))
      await store.cloneDatabase(control, nameOf(sandboxId), template)
    },
    mend: (sandboxId) => store.setPassword(control, nameOf(sandboxId), scramVerifier(passwordOf(sandboxId))),
    url(sandboxId) {
      const url = new URL(options.serverUrl)
      url.username = nameOf(sandboxId)
      url.password = passwordOf(sandboxId)
      url.pathname = `/${nameOf(sandboxId)}`
      return url.href
    },
    present: () => presentTenants(control, installationTag),
  }
}

/** Every sandbox id that has a database or a role on the server. */
export async function presentTenants(control: Database, installationTag: string): ReturnType<Tenants['present']> {
  const prefix = prefixOf(installationTag)
  const idsOf = (names: string[]) => names.map((name) => name.slice(prefix.length))
  const databases = idsOf(await store.listDatabases(control, `${prefix}sbx_`))
  return { databases, roles: idsOf(await store.listRoles(control, `${prefix}sbx_`)) }
}
