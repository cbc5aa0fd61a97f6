import { runSuite } from '../suite.ts'
import { checkAddresses } from './address-checks.ts'
import { checkBodies } from './body-checks.ts'
import { checkHttp } from './http-checks.ts'
import { checkLive } from './live-checks.ts'
import { checkMqtt } from './mqtt-checks.ts'
import type { ReverseProxy } from './proxy.ts'
import { checkReloads } from './reload-checks.ts'
import { startWorld } from './world.ts'

/** Starts Storey behind a proxy with its configuration in `deploy/`, and checks what clients see. */
export async function runProxySuite(create: () => ReverseProxy): Promise<void> {
  await runSuite(create.name, async (suite) => {
    const world = await startWorld(suite, create())
    const checkIdle = await checkLive(suite, world)
    await checkHttp(suite, world)
    await checkBodies(suite, world)
    await checkAddresses(suite, world)
    if (world.proxy.hasMqtt) await checkMqtt(suite, world)
    await checkIdle()
    await checkReloads(suite, world)
  })
}
