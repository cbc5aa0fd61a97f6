import { type CallOptions, type ChangeOptions, type ClientOptions, createHttpClient } from '../http/client.ts'
import type { PageQuery } from '../http/paging.ts'
import type { BuildingRecord, Settings, SettingsPatch } from '../wire.ts'
import { type BuildingClient, buildingClient } from './building.ts'
import { type CatalogsApi, catalogsApi } from './catalogs.ts'
import { type LicensesApi, licensesApi, type ModulesApi, modulesApi } from './modules.ts'
import { type AccountsApi, accountsApi, type PeopleApi, peopleApi } from './people.ts'
import { type RequestsApi, requestsApi } from './requests.ts'
import { type ReadApi, readApi } from './resource.ts'
import { type WebhooksApi, webhooksApi } from './webhooks.ts'

/**
 * The settings of a sandbox.
 *
 * @stable
 */
export interface SettingsApi {
  get(options?: CallOptions): Promise<Settings>
  update(body: SettingsPatch, options?: ChangeOptions): Promise<Settings>
}

/**
 * The platform API of one sandbox.
 *
 * @stable
 */
export interface PlatformClient {
  /** The address of the API, without a trailing slash. */
  readonly url: string
  readonly buildings: ReadApi<BuildingRecord>
  building(buildingId: string): BuildingClient
  readonly catalogs: CatalogsApi
  readonly webhooks: WebhooksApi
  readonly modules: ModulesApi
  readonly licenses: LicensesApi
  readonly requests: RequestsApi
  readonly settings: SettingsApi
  readonly people: PeopleApi
  readonly accounts: AccountsApi
  /** The same as `building(buildingId).externalIdMap()`. */
  externalIdMap(buildingId: string, options?: CallOptions): Promise<Map<string, string>>
}

/**
 * A client of a sandbox's platform API. `url` is the sandbox's `apiUrl`. The credential is the sandbox's token, a
 * service account, or a person's session.
 *
 * @stable
 */
export function createPlatformClient(options: ClientOptions): PlatformClient {
  const http = createHttpClient(options)
  const settings = '/api/v1/settings'
  const building = (buildingId: string) => buildingClient(http, buildingId)
  return {
    url: options.url.replace(/\/+$/, ''),
    buildings: readApi<BuildingRecord, PageQuery>(http, '/api/v1/buildings'),
    building,
    catalogs: catalogsApi(http),
    webhooks: webhooksApi(http),
    modules: modulesApi(http),
    licenses: licensesApi(http),
    requests: requestsApi(http),
    people: peopleApi(http),
    accounts: accountsApi(http),
    settings: {
      get: (call) => http.json({ ...call, method: 'GET', path: settings }),
      update: (body, call) => http.json({ ...call, method: 'PATCH', path: settings, body }),
    },
    externalIdMap: (buildingId, call) => building(buildingId).externalIdMap({}, call),
  }
}
