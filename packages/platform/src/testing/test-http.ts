import { PERMISSIONS, TENANT_ACCESS } from '@storey/contract'
import { type Clock, systemClock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { HttpApp } from '@storey/kit/http'
import { silentLog } from '@storey/kit/log'
import type { Audience } from '@storey/kit/tokens'
import { callerOf } from '../caller.ts'
import type { ImportQueue } from '../features/ifc-import/import-queue.ts'
import type { Desk } from '../features/service-desk/desk.ts'
import type { WebhookParts } from '../features/webhooks/subscriptions/create-webhook.ts'
import type { GraphAccess } from '../graph/open-graph.ts'
import { createAuthentication } from '../http/authentication.ts'
import { createAuthorization } from '../http/authorization.ts'
import { createPlatformHttp } from '../http/http.ts'
import { admitByMemory, unwatched } from '../memory.ts'
import type { Answer } from './test-stack.ts'
import { ORGANIZATION_ID, SANDBOX_ID, TOKEN_RULES } from './tokens.ts'

export interface TestHttp {
  app: HttpApp
  get(path: string, token?: string, headers?: Record<string, string>): Promise<Answer>
  /** `yes`, or the code of the error. */
  mayUse(access: string, token: string): Promise<string>
}

interface TestHttpOptions {
  sandboxesIssuer?: string
  perMinute?: number
  perMinuteOverall?: number
  clock?: Clock
  internalKey?: string
  sandboxesAudience?: Audience
}

/**
 * The platform API with two additional routes for each permission, one of them below a building. These routes return
 * the caller. There is no database, because what is tested happens before any query.
 */
export async function startTestHttp(options: TestHttpOptions = {}): Promise<TestHttp> {
  const { sandboxesIssuer = null, perMinute = 0, perMinuteOverall = 0, clock = systemClock } = options
  const trust = {
    sandboxToken: { ...TOKEN_RULES, audience: SANDBOX_ID },
    sandboxesIssuer,
    ...(options.sandboxesAudience ? { sandboxesAudience: options.sandboxesAudience } : {}),
  }
  const app = await createPlatformHttp({
    db: {} as Database,
    graph: {} as GraphAccess,
    imports: {} as ImportQueue,
    ingest: async () => 0,
    admission: admitByMemory(unwatched(512 * 1024 * 1024)),
    foldingCapacity: { isFree: () => true, wait: async () => undefined },
    webhooks: {} as WebhookParts,
    onSettings: () => undefined,
    onSimulation: () => undefined,
    onFaultRules: async () => undefined,
    serviceDesk: {} as Desk,
    log: silentLog,
    authorize: createAuthorization(ORGANIZATION_ID, await createAuthentication(trust, clock), {
      internalKey: options.internalKey,
    }),
    rateLimit: { perMinute, shared: { name: 'sandbox', perMinute: perMinuteOverall }, clock },
    spacesPageCap: 1000,
    moduleRoute: 'on',
  })
  for (const access of [...Object.keys(PERMISSIONS), TENANT_ACCESS]) {
    app.get(`/routes/${access.replace(':', '-')}`, { config: { access } }, async (request) => callerOf(request))
    const inBuilding = `/buildings/:buildingId/routes/${access.replace(':', '-')}`
    app.get(inBuilding, { config: { access } }, async (request) => callerOf(request))
  }
  const get: TestHttp['get'] = async (path, token, headers = {}) => {
    const credential = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const answer = await app.inject({ url: path, headers: { ...headers, ...credential } })
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
  }
  return {
    app,
    get,
    async mayUse(access, token) {
      const { status, body } = await get(`/routes/${access.replace(':', '-')}`, token)
      return status === 200 ? 'yes' : body.code
    },
  }
}
