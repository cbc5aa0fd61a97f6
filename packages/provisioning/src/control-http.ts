import { API_TAGS, LIMITS, quotasInWords } from '@storey/contract'
import { systemClock } from '@storey/kit/clock'
import { createHttp, type HttpApp, type HttpOptions } from '@storey/kit/http'
import { silentLog } from '@storey/kit/log'
import { type AccountDeps, accountRoutes } from './features/accounts/index.ts'
import { auditRoutes } from './features/audit/index.ts'
import { type KeyDeps, keyRoutes } from './features/keys/index.ts'
import { type SandboxDeps, sandboxRoutes } from './features/sandboxes/index.ts'

export interface ControlHttpOptions {
  http: Omit<HttpOptions, 'title' | 'description'>
  sandboxes: SandboxDeps
  accounts: AccountDeps
  keys: KeyDeps
  serveAudit(app: HttpApp): void
}

const DESCRIPTION = `Create a sandbox: an isolated tenant with its own database, its own API and a building of its own.
Send Authorization: Bearer with an API key or a developer's access token. What a call needs: sandbox is a key of scope
sandbox or full, or any developer's token; keys:list and keys:revoke are a key of scope full or a portal session;
keys:mint and keys:audit are a portal session alone. How much there may be: keys (active in an organization)
${LIMITS.key.maxActivePerOrganization}, ${quotasInWords(['keysPerDay', 'accounts', 'serviceAccounts'])}. One more is a
429 QUOTA_EXCEEDED with quota, limit and used.`

/** The provisioning API: the HTTP app of the kit with the routes of the features. */
export async function createControlHttp(options: ControlHttpOptions): Promise<HttpApp> {
  const app = await createHttp({
    title: 'Storey provisioning API',
    description: DESCRIPTION,
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

/** The OpenAPI document without a running service. The routes have no dependencies, because none is called. */
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
