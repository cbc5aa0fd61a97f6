import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, it } from 'vitest'
import { startWebhooks } from './features/webhooks/testing/start-webhooks.ts'

/** Less than the time after which an idle connection to a receiver is closed anyway (4 seconds). */
const CLOSED_MS = 2_000

it('a closed stack has no connection to a receiver', async () => {
  const open = new Set<Socket>()
  const receiver = createServer((request, response) => request.resume().on('end', () => response.end()))
  receiver.keepAliveTimeout = 60_000
  receiver.on('connection', (socket) => open.add(socket.once('close', () => open.delete(socket))))
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const webhooks = await startWebhooks()
  await webhooks.subscribe(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}`)
  await webhooks.observe()
  expect(open.size).toBe(1)
  await webhooks.close()
  await expect.poll(() => open.size, { timeout: CLOSED_MS }).toBe(0)
  receiver.close()
})
