import { API_TAGS, LIMITS, QUOTAS_INTRO, quotaRows } from '@storey/contract'
import { systemClock } from '@storey/kit/clock'
import { createHttp, type HttpApp, type HttpOptions } from '@storey/kit/http'
import { silentLog } from '@storey/kit/log'
import { type AccountDeps, accountRoutes } from './features/accounts/index.ts'
import { auditRoutes } from './features/audit/index.ts'
import { type KeyDeps, keyRoutes } from './features/keys/index.ts'
import { type SandboxDeps, sandboxRoutes } from './features/sandboxes/index.ts'

export interface ControlHttpOptions {
  http: Omit<HttpOptions, 'title' | 'description' | 'tables'>
  sandboxes: SandboxDeps
  accounts: AccountDeps
  keys: KeyDeps
  serveAudit(app: HttpApp): void
}

const DESCRIPTION = `Create a sandbox: an isolated tenant with its own database, its own API and a building of its own.
Send Authorization: Bearer with an API key or a developer's access token.`

const ACCESS_TABLE = {
  title: 'Access',
  intro: 'The description of each operation states which access it needs.',
  columns: ['Access', 'Who has it'],
  rows: [
    ['sandbox', "a key of scope sandbox or full, or any developer's token"],
    ['keys:list, keys:revoke', 'a key of scope full, or a portal session'],
    ['keys:mint, keys:audit', 'a portal session only'],
  ],
}

const QUOTA_TABLE = {
  title: 'Quotas',
  intro: QUOTAS_INTRO,
  columns: ['Quota', 'Limit', 'Of'],
  rows: [
    ['keys', String(LIMITS.key.maxActivePerOrganization), 'active keys of an organization'],
    ...quotaRows(['keysPerDay', 'accounts', 'serviceAccounts']),
  ],
}

/** The provisioning API: the HTTP app of the kit with the routes of the features. */
export async function createControlHttp(options: ControlHttpOptions): Promise<HttpApp> {
  const app = await createHttp({
    title: 'Storey provisioning API',
    description: DESCRIPTION,
    tables: [ACCESS_TABLE, QUOTA_TABLE],
    tags: API_TAGS,
    problemsOf,
    ...options.http,
  })
  sandboxRoutes(app, options.sandboxes)
  accountRoutes(app, options.accounts)
  keyRoutes(app, options.keys)
  options.serveAudit(app)
  return app
}

/** Problems that every authenticated route can return. */
const problemsOf: NonNullable<HttpOptions['problemsOf']> = ({ config }) =>
  config?.access === 'public' ? [] : ['KEY_EXPIRED', 'KEY_REVOKED', 'SCOPE_DENIED', 'PERMISSION_DENIED']

/**
 * Creates the OpenAPI document without a running service. The features get no dependencies, because none of their
 * routes is called.
 */
export async function describeControlApi(): Promise<object> {
  const unused = {} as never
  const app = await createControlHttp({
    http: {
      log: silentLog,
      authorize: async () => undefined,
      checkReady: async () => undefined,
      rateLimit: { perMinute: 100, clock: systemClock },
    },
    sandboxes: unused,
    accounts: unused,
    keys: unused,
    serveAudit: (app) => auditRoutes(app, unused),
  })
  const answer = await app.inject('/api/v1/openapi.json')
  await app.close()
  return answer.json()
}
