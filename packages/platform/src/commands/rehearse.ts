import { randomUUID } from 'node:crypto'
import { systemClock } from '@storey/kit/clock'
import { silentLog } from '@storey/kit/log'
import { collectGarbage } from '../collect-garbage.ts'
import { createPlatformHttp, type PlatformHttpOptions } from '../http/index.ts'

/**
 * Creates the HTTP application once without a sandbox and drops it. V8 compiles functions when they are first called,
 * so the next application, for which a caller waits, is created in a fraction of the time.
 */
export async function rehearse(): Promise<void> {
  const parts: Pick<PlatformHttpOptions, 'log' | 'authorize' | 'rateLimit' | 'spacesPageCap' | 'moduleRoute'> = {
    log: silentLog,
    authorize: () => Promise.resolve(),
    rateLimit: { perMinute: 0, clock: systemClock },
    spacesPageCap: 1,
    moduleRoute: 'on',
  }
  // Routes use the other parts only when they are called.
  const http = await createPlatformHttp({ webhooks: {}, serviceDesk: {}, ...parts } as PlatformHttpOptions)
  // The schemas of a route are compiled by its first request. Its handler fails, since there is no database.
  await http.inject(`/api/v1/buildings/${randomUUID()}/points?limit=1`)
  await http.close()
  collectGarbage()
}
