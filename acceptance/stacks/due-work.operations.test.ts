import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { openTenantServer } from '../../bench/tenant-server.ts'
import { call } from '../system/call.ts'
import { actorsAt, startInstalled } from '../system/shared.ts'
import { type System, startSystem } from '../system/system.ts'

let system: System
/** The attempts that the receiver got. It answers the first one with 500. */
const attempts: unknown[] = []
const receiver = createServer((request, response) => {
  attempts.push(request.headers['x-svc-delivery-attempt'])
  request.resume().on('end', () => response.writeHead(attempts.length === 1 ? 500 : 204).end())
})
afterAll(async () => {
  receiver.close()
  await system?.remove()
})

it('[STK-09] a delivery is retried when due, though the service was killed and no request came', async () => {
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  system = await startInstalled()
  const { newDeveloper, newSandbox } = actorsAt(system)
  const { record, connection } = await newSandbox((await newDeveloper()).key)
  const { apiUrl, token, buildingId } = connection
  await call(`${apiUrl}/api/v1/webhooks`, { token, body: { url, events: ['building.point.updated'] } })
  const points = await call(`${apiUrl}/api/v1/buildings/${buildingId}/points?limit=1`, { token })
  const observations = [{ pointId: points.json.data[0].id, value: '1' }]
  await call(`${apiUrl}/api/v1/buildings/${buildingId}/telemetry/observations`, { token, body: { observations } })
  await expect.poll(() => attempts).toEqual(['1'])

  // The retry is due in a minute. The test makes it due in five seconds in the tenant database, and kills the service
  // before the stack has reported this time.
  const tenant = await openTenantServer(system.dataDir).open(record.sandboxId)
  const isPostponed = 'select from webhook_deliveries where attempts = 1 and leased_until is null'
  await expect.poll(async () => (await tenant.query(isPostponed)).rowCount).toBe(1)
  await tenant.query(`update webhook_deliveries set next_attempt_at = now() + interval '5 seconds'`)
  await tenant.end()
  await system.kill9()
  expect(attempts).toEqual(['1'])

  const { dataDir } = system
  system = await startSystem({ dataDir, port: Number(new URL(system.url).port) })
  await expect.poll(() => attempts).toEqual(['1', '2'])
})
