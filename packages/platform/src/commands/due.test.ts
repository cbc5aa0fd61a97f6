import { generateBuilding } from '@storey/building'
import { readMigrations } from '@storey/kit/database'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '../migrations.ts'
import { place, seedBuilding } from '../seed/seed-building.ts'
import { type StackProcess, startProcess } from '../testing/stack-process.ts'
import { seedRequest, serveConfig } from '../testing/test-stack.ts'
import { sandboxToken } from '../testing/tokens.ts'

let test: TestDatabase
let buildingId: string
let stack: StackProcess
beforeAll(async () => {
  test = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
  buildingId = (await seedBuilding(test.database, seedRequest(), () => undefined)).buildingId
})
afterEach(async () => {
  stack.child.kill('SIGKILL')
  await stack.ended
})
afterAll(() => test.drop())

const reportedDue = () => stack.messages.flatMap((message) => (message.type === 'due' ? [message.at] : []))

async function serve() {
  stack = startProcess('serve', serveConfig(test.url))
  const { port } = await stack.waitFor('listening')
  const headers = { authorization: `Bearer ${await sandboxToken()}`, 'content-type': 'application/json' }
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without a schema.
  return async (path: string, body?: object): Promise<any> => {
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    return (await fetch(`http://127.0.0.1:${port}/api/v1${path}`, { headers, ...sent })).json()
  }
}

async function stop(): Promise<void> {
  stack.child.send({ type: 'stop' })
  expect(await stack.ended).toEqual({ code: 0, signal: null })
}

it('[STK-09] a stack reports at its start and at its end that no work is due', async () => {
  await serve()
  await expect.poll(reportedDue).toEqual([null])
  await stop()
  await expect.poll(reportedDue).toEqual([null, null])
})

it('[STK-09] a stack reports the next attempt of a delivery before it ends, even if it is stopped right after an attempt', async () => {
  const call = await serve()
  // Nothing listens on this port, so the delivery fails and is retried.
  const { id } = await call('/webhooks', { url: 'http://127.0.0.1:1/', events: ['building.point.updated'] })
  const pointId = place(seedRequest()).idOf(generateBuilding(seedRequest().building).points[0]!.key)
  await call(`/buildings/${buildingId}/telemetry/observations`, { observations: [{ pointId, value: '1' }] })
  const attempts = async () => (await call(`/webhooks/${id}/deliveries`)).data
  await expect.poll(async () => (await attempts()).length).toBe(1)
  const [{ nextAttemptAt }] = await attempts()
  await stop()
  await expect.poll(() => reportedDue().at(-1)).toBe(nextAttemptAt)
})
