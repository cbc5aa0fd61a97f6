import { LIMITS } from '@storey/contract'
import { systemClock } from '@storey/kit/clock'
import { silentLog } from '@storey/kit/log'
import { createPlatformHttp } from './http.ts'

/** The OpenAPI document without a running service. The routes have no dependencies, since none of them is called. */
export async function describePlatformApi(): Promise<object> {
  const nothing = {} as never
  const app = await createPlatformHttp({
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
  const answer = await app.inject('/api/v1/openapi.json')
  await app.close()
  return answer.json()
}
