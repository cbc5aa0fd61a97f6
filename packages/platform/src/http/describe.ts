import { LIMITS } from '@storey/contract'
import { systemClock } from '@storey/kit/clock'
import type { HttpApp } from '@storey/kit/http'
import { silentLog } from '@storey/kit/log'
import { createPlatformHttp } from './http.ts'

/** The routes without a sandbox. They have no dependencies, so their handlers cannot work. */
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

/** The OpenAPI document without a running service. */
export async function describePlatformApi(): Promise<object> {
  const app = await createUnconnectedHttp()
  const answer = await app.inject('/api/v1/openapi.json')
  await app.close()
  return answer.json()
}
