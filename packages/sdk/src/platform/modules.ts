import type { CallOptions, ChangeOptions, HttpClient } from '../http/client.ts'
import type { PageQuery } from '../http/paging.ts'
import type { LicenseQuery, LicenseRecord, ModuleIngest, ModuleRecord, NewLicense } from '../wire.ts'
import { type ReadApi, readApi, verbs } from './resource.ts'

/**
 * The registry of modules. A module is read and deleted by its slug.
 *
 * @stable
 */
export interface ModulesApi extends ReadApi<ModuleRecord> {
  ingest(body: ModuleIngest, options?: ChangeOptions): Promise<ModuleRecord>
  delete(slug: string, options?: ChangeOptions): Promise<void>
}

/**
 * Licences: which module may be used in which building.
 *
 * @stable
 */
export interface LicensesApi extends ReadApi<LicenseRecord, LicenseQuery> {
  /** Throws CONFLICT if the licence exists already. */
  create(body: NewLicense, options?: CallOptions): Promise<LicenseRecord>
  delete(licenseId: string, options?: ChangeOptions): Promise<void>
}

export function modulesApi(http: HttpClient): ModulesApi {
  const all = '/api/v1/registry/modules'
  return {
    ...readApi<ModuleRecord, PageQuery>(http, all),
    // The call is repeatable, because a second ingest of the same manifest changes only `updatedAt`.
    ingest: (body, options) => http.json({ ...options, method: 'POST', path: `${all}/ingest`, body, repeatable: true }),
    delete: verbs(http, all).delete,
  }
}

export function licensesApi(http: HttpClient): LicensesApi {
  const all = '/api/v1/licenses'
  const { create, delete: remove } = verbs(http, all)
  return { ...readApi<LicenseRecord, LicenseQuery>(http, all), create, delete: remove }
}
