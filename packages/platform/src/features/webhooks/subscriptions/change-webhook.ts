import { LIMITS, problems, type WebhookPatch, type WebhookRecord } from '@storey/contract'
import { checkAddress, checkEvents } from './check-subscription.ts'
import { readWebhook, type WebhookParts } from './create-webhook.ts'
import { newSecret, startOf } from './secrets.ts'
import {
  activateWebhook,
  deleteWebhook,
  pauseWebhook,
  replaceSecret,
  updateSubscription,
  type WebhookPlace,
} from './webhooks.store.ts'

export async function changeWebhook(
  { db, clock, outbound, onChange }: WebhookParts,
  place: WebhookPlace,
  { url, events, status }: WebhookPatch,
): Promise<WebhookRecord> {
  await readWebhook(db, place)
  const wanted = events && checkEvents(events)
  if (url !== undefined) await checkAddress(outbound, url)
  await db.transaction(async (tx) => {
    await updateSubscription(tx, place, { url: url ?? null, events: wanted ?? null })
    if (status === 'paused') await pauseWebhook(tx, place, clock.now())
    if (status === 'active') await activateWebhook(tx, place)
  })
  onChange(place.webhookId)
  return readWebhook(db, place)
}

export async function resetFailures({ db, onChange }: WebhookParts, place: WebhookPlace): Promise<WebhookRecord> {
  if (!(await activateWebhook(db, place))) throw problems.notFound('webhook')
  onChange(place.webhookId)
  return readWebhook(db, place)
}

/** The answer has the new secret in full. The one before it signs too, for a day. */
export async function rotateSecret(parts: WebhookParts, place: WebhookPlace): Promise<WebhookRecord> {
  const { db, clock, vault, onChange } = parts
  const secret = newSecret()
  const sealed = vault.seal(place.webhookId, secret)
  const previousUntil = new Date(clock.now().getTime() + LIMITS.webhook.previousSecretMs)
  if (!(await replaceSecret(db, place, { sealed, start: startOf(secret) }, previousUntil)))
    throw problems.notFound('webhook')
  onChange(place.webhookId)
  return { ...(await readWebhook(db, place)), secret }
}

export async function removeWebhook({ db, onChange }: WebhookParts, place: WebhookPlace): Promise<void> {
  if (!(await deleteWebhook(db, place))) throw problems.notFound('webhook')
  onChange(place.webhookId)
}
