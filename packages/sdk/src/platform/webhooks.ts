import type { CallOptions, ChangeOptions, HttpClient } from '../http/client.ts'
import type { List, PageQuery } from '../http/paging.ts'
import { path } from '../http/path.ts'
import type { DeliveryDetail, DeliveryRecord, NewWebhook, Redelivery, WebhookPatch, WebhookRecord } from '../wire.ts'
import { type ReadApi, readApi, verbs } from './resource.ts'

/**
 * Subscriptions to events, delivered by HTTP POST.
 *
 * @stable
 */
export interface WebhooksApi extends ReadApi<WebhookRecord> {
  /** Only this response has the full secret. */
  create(body: NewWebhook, options?: CallOptions): Promise<WebhookRecord>
  update(webhookId: string, body: WebhookPatch, options?: ChangeOptions): Promise<WebhookRecord>
  delete(webhookId: string, options?: ChangeOptions): Promise<void>
  resetFailures(webhookId: string, options?: ChangeOptions): Promise<WebhookRecord>
  /** Only this response has the full new secret. For a day, deliveries are also signed with the old secret. */
  rotateSecret(webhookId: string, options?: ChangeOptions): Promise<WebhookRecord>
  /** Sends `webhook.test` once, and returns the result. */
  test(webhookId: string, options?: CallOptions): Promise<DeliveryRecord>
  /** The last 50 attempts, newest first. */
  deliveries(webhookId: string, options?: CallOptions): Promise<List<DeliveryRecord>>
  /** A delivery with its request and its attempts. */
  delivery(webhookId: string, deliveryId: string, options?: CallOptions): Promise<DeliveryDetail>
  redeliver(webhookId: string, deliveryId: string, options?: CallOptions): Promise<Redelivery>
}

export function webhooksApi(http: HttpClient): WebhooksApi {
  const all = '/api/v1/webhooks'
  const { create, update, delete: remove, act } = verbs(http, all)
  const deliveriesOf = (webhookId: string) => all + path`/${webhookId}/deliveries`
  return {
    ...readApi<WebhookRecord, PageQuery>(http, all),
    create,
    update,
    delete: remove,
    resetFailures: (id, options) => act(id, 'reset-failures', undefined, options),
    rotateSecret: (id, options) => act(id, 'rotate-secret', undefined, options),
    test: (id, options) => act(id, 'test', undefined, options),
    deliveries: (id, options) => http.json({ ...options, method: 'GET', path: deliveriesOf(id) }),
    delivery: (id, deliveryId, options) =>
      http.json({ ...options, method: 'GET', path: deliveriesOf(id) + path`/${deliveryId}` }),
    redeliver: (id, deliveryId, options) =>
      http.json({ ...options, method: 'POST', path: deliveriesOf(id) + path`/${deliveryId}/redeliver` }),
  }
}
