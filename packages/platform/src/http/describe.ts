import { LIMITS } from '@storey/contract'
import { systemClock } from '@storey/kit/clock'
import type { HttpApp } from '@storey/kit/http'
import { silentLog } from '@storey/kit/log'
import { createPlatformHttp } from './http.ts'

/** Creates the routes without the dependencies of their handlers. The routes can be described, but not used. */
export function createUnconnectedHttp(): Promise<HttpApp> {
  const nothing = {} as never
  return createPlatformHttp({
    db: nothing,
    graph: nothing,
    imports: nothing,
    ingest: async () => 0,
    admission: nothing,
    foldingCapacity: { isFree: () => true, wait: async () => undefined },
    webhooks: nothing,
    onSettings: () => undefined,
    onSimulation: () => undefined,
    onFaultRules: async () => undefined,
    serviceDesk: nothing,
    log: silentLog,
    authorize: async () => undefined,
    rateLimit: { perMinute: LIMITS.rateLimitPerMinute, clock: systemClock },
    spacesPageCap: LIMITS.graphPageMax,
    moduleRoute: nothing,
  })
}

/** The OpenAPI document of the platform API. No running service is needed. */
export async function describePlatformApi(): Promise<object> {
  const app = await createUnconnectedHttp()
  const answer = await app.inject('/api/v1/openapi.json')
  await app.close()
  return answer.json()
}
