import type { DeliveryDetail, DeliveryRecord, WebhookRecord } from '@storey/sdk'
import { type Loading, useLoad } from '@storey/web'
import { useApiAccess } from '../access/api-access.ts'

/** The poll interval while the live channel cannot report changes. */
const POLL_MS = 15_000
const OPTIONS = { pollMs: () => POLL_MS, changes: 'webhooks' } as const
/** The page size of the list. It is the quota of webhooks, so one page has all of them. */
const ALL = 200

export function useWebhooks(isEnabled: boolean): Loading<readonly WebhookRecord[]> {
  const { client } = useApiAccess()
  const read = async (signal: AbortSignal) =>
    isEnabled ? (await client.webhooks.list({ limit: ALL }, { signal })).data : []
  return useLoad(['webhooks', isEnabled], read, { ...OPTIONS, isCached: true })
}

export function useWebhook(id: string, isEnabled: boolean): Loading<WebhookRecord> {
  const { client } = useApiAccess()
  return useLoad(['webhook', id], (signal) => client.webhooks.get(id, { signal }), { ...OPTIONS, isEnabled })
}

export function useDeliveries(id: string, isEnabled: boolean): Loading<readonly DeliveryRecord[]> {
  const { client } = useApiAccess()
  const read = async (signal: AbortSignal) => (await client.webhooks.deliveries(id, { signal })).data
  return useLoad(['webhook-deliveries', id], read, { ...OPTIONS, isEnabled })
}

export function useDelivery(id: string, deliveryId: string): Loading<DeliveryDetail> {
  const { client } = useApiAccess()
  const read = (signal: AbortSignal) => client.webhooks.delivery(id, deliveryId, { signal })
  return useLoad(['webhook-delivery', id, deliveryId], read, OPTIONS)
}
