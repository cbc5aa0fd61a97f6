import { silentLog } from '@storey/kit/log'
import { createOutbound, type Outbound, OutboundFailed } from '@storey/kit/outbound'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { SEAL_KEY } from '../../../testing/test-stack.ts'
import { createSecretVault } from '../subscriptions/secret-vault.ts'
import { type Receiver, startReceiver } from '../testing/receiver.ts'
import { startWebhooks, type Webhooks } from '../testing/start-webhooks.ts'
import { createDispatcher } from './dispatcher.ts'

let webhooks: Webhooks
let receiver: Receiver
beforeAll(async () => {
  webhooks = await startWebhooks()
  receiver = await startReceiver()
})
afterAll(async () => {
  await webhooks.close()
  await receiver.close()
})
afterEach(() => vi.restoreAllMocks())

it('[WHK-48] attempts during which the process was suspended are repeated, and do not count as failures of the receiver', async () => {
  const { id } = await webhooks.subscribe(receiver.url)
  const now = performance.now.bind(performance)
  let stoodStillMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now() + stoodStillMs)
  const outbound = createOutbound({ allowLocal: true })
  let stalls = 12
  const stalling: Outbound = {
    ...outbound,
    async send(...request) {
      if (stalls-- <= 0) return await outbound.send(...request)
      stoodStillMs += 70_000
      throw new OutboundFailed('ETIMEDOUT', 'sent')
    },
  }
  const { clock, stack } = webhooks
  const dispatcher = createDispatcher({
    ...{ db: stack.db, clock, outbound: stalling, vault: createSecretVault(SEAL_KEY), log: silentLog },
  })
  await webhooks.queue(12)
  await dispatcher.idle()
  await dispatcher.close()
  expect(new Set(receiver.received.map(({ json }) => json.data.number)).size).toBe(12)
  expect(receiver.received.map(({ headers }) => headers['x-svc-delivery-attempt'])).toEqual(Array(12).fill('1'))
  expect(await webhooks.read(id)).toMatchObject({ status: 'active', consecutiveFailures: 0 })
  expect(await webhooks.attempts(id)).toHaveLength(12)
})
