import type { DeliveryRecord, ServeConfig, WebhookRecord } from '@storey/contract'
import { movableClock } from '@storey/kit/clock'
import { sql } from '@storey/kit/database'
import { type Answer, startTestStack, type TestStack } from '../../../testing/test-stack.ts'
import { sandboxToken } from '../../../testing/tokens.ts'
import { outboundEvent } from '../outbox/outbound-event.ts'
import { queued } from '../outbox/outbox.store.ts'

export const POINT_UPDATED = 'building.point.updated'

export interface Webhooks {
  stack: TestStack
  clock: ReturnType<typeof movableClock>
  /** Calls `/api/v1/webhooks`, or a path below it. */
  send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path?: string, body?: unknown, token?: string): Promise<Answer>
  subscribe(url: string, events?: string[]): Promise<WebhookRecord>
  read(id: string): Promise<WebhookRecord>
  attempts(id: string): Promise<DeliveryRecord[]>
  /** Posts an observation, which raises an event. */
  post(value?: string): Promise<void>
  /** Posts an observation, and waits until everything due is sent. */
  observe(value?: string): Promise<void>
  /** Queues events without waking a dispatcher. */
  queue(count: number): Promise<void>
  /** Advances the clock, and waits until everything due is sent. */
  pass(ms: number): Promise<void>
  close(): Promise<void>
}

export async function startWebhooks(
  changes: Partial<ServeConfig> = {},
  parts: Parameters<typeof startTestStack>[3] = {},
): Promise<Webhooks> {
  const clock = movableClock(new Date())
  const stack = await startTestStack(changes, {}, clock, parts)
  // Tests advance the clock by more than the usual lifetime of a token.
  const own = await sandboxToken({ exp: Math.floor(Date.now() / 1000) + 30 * 86_400 })
  const pointId = stack.idOf(stack.building.points[0]!.key)
  const ask = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown, token = own) =>
    stack.send(method, path, body, `Bearer ${token}`)
  const send: Webhooks['send'] = (method, path = '', body, token) => ask(method, `/api/v1/webhooks${path}`, body, token)
  const post = async (value = '21.5') => {
    const path = `/api/v1/buildings/${stack.seeded.buildingId}/telemetry/observations`
    const { status, body } = await ask('POST', path, { observations: [{ pointId, value }] })
    if (status !== 202) throw new Error(JSON.stringify(body))
  }
  return {
    stack,
    clock,
    send,
    async subscribe(url, events = [POINT_UPDATED]) {
      const { status, body } = await send('POST', '', { url, events })
      if (status !== 201) throw new Error(JSON.stringify(body))
      return body
    },
    read: async (id) => (await send('GET', `/${id}`)).body,
    attempts: async (id) => (await send('GET', `/${id}/deliveries`)).body.data,
    post,
    async observe(value) {
      await post(value)
      await stack.webhooks().idle()
    },
    async queue(count) {
      const { buildingId } = stack.seeded
      const events = Array.from({ length: count }, (_, number) =>
        outboundEvent(POINT_UPDATED, { buildingId, number }, clock.now()),
      )
      await stack.db.run(sql`with ${queued(events, sql`true`)} select count(*) from queued`)
    },
    async pass(ms) {
      clock.advance(ms)
      await stack.webhooks().idle()
    },
    close: () => stack.close(),
  }
}
