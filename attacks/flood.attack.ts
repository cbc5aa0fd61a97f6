import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { freePort } from '../acceptance/system/system.ts'
import { startSockets } from '../bench/live-sockets.ts'
import { newTower } from '../bench/tower.ts'
import { closeFixture, openFixture, whileNeighbourWorks } from './fixture.ts'
import type { Flooded, Tenant } from './flooding-tenant.ts'

/**
 * The owner of a sandbox floods it: observations over REST and MQTT, a thousand sockets that receive them all, and
 * building models to import, all at the same time and as fast as they are accepted. The latency of another sandbox,
 * the neighbour, must stay within the limit of `whileNeighbourWorks`.
 */

const SECONDS = Number(process.env.ATTACK_SECONDS ?? 60)
const SOCKETS = 1_000
const ALLOWANCE_MS = 20
/** Clients of a real owner run on other machines, so the clients here take only the CPU time that the service leaves. */
const LOWEST_PRIORITY = 19

const fixture = await openFixture({
  MQTT_ENABLED: 'true',
  MQTT_PORT: `${await freePort()}`,
  // All sockets open from one address.
  MAX_CONNECTIONS_PER_ADDRESS: '2000',
  ...limitsOf(process.env.ATTACK_RATE_LIMITS),
})
const { connection, points } = await newTower(fixture.system)
const { host, port } = new URL(connection.apiUrl)
const sockets = startSockets(LOWEST_PRIORITY)
const { token, buildingId } = connection
await sockets.open({ count: SOCKETS, port: Number(port), host, token, buildingId, reconnects: true })
const tenant = fork(new URL('./flooding-tenant.ts', import.meta.url), { execArgv: process.execArgv })
setPriority(tenant.pid!, LOWEST_PRIORITY)

const duration = { seconds: SECONDS, allowanceMs: ALLOWANCE_MS }
const verdict = await whileNeighbourWorks(fixture, 'an owner who floods the sandbox', duration, async (over) => {
  tenant.send({ connection, points } satisfies Tenant)
  await once(over, 'abort')
  tenant.send('end')
  const [flooded] = (await once(tenant, 'message')) as [Flooded]
  const counts = Object.entries(flooded).map(([what, count]) => `${what}: ${count}`)
  process.stdout.write(`${counts.join(', ')}, events received: ${sockets.received()}\n`)
})
sockets.close()
await closeFixture(fixture, [verdict])

/** `ATTACK_RATE_LIMITS=off` removes the rate limits, which otherwise end most of the flood over REST. */
function limitsOf(choice: string | undefined): Record<string, string> {
  return choice === 'off' ? { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' } : {}
}
