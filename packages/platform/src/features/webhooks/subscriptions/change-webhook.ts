import { LIMITS, problems, type WebhookPatch, type WebhookRecord } from '@storey/contract'
import type { Tx } from '@storey/kit/database'
import { type Precondition, versionOf } from '@storey/kit/http'
import { checkAddress, checkEvents } from './check-subscription.ts'
import { readWebhook, type WebhookParts, withSecret } from './create-webhook.ts'
import { newSecret, startOf } from './secrets.ts'
import {
  activateWebhook,
  deleteWebhook,
  lockWebhook,
  noteWebhooks,
  pauseWebhook,
  replaceSecret,
  updateSubscription,
  type WebhookPlace,
} from './webhooks.store.ts'

export async function changeWebhook(
  parts: WebhookParts,
  place: WebhookPlace,
  { url, events, status }: WebhookPatch,
  precondition: Precondition,
): Promise<WebhookRecord> {
  const { db, clock, outbound } = parts
  // The version is checked twice: before the address is looked up, and again under the lock.
  precondition.check(versionOf(await readWebhook(db, place)))
  const wanted = events && checkEvents(events)
  if (url !== undefined) await checkAddress(outbound, url)
  await change(parts, place, precondition, async (tx) => {
    await updateSubscription(tx, place, { url: url ?? null, events: wanted ?? null })
    if (status === 'paused') await pauseWebhook(tx, place, clock.now())
    if (status === 'active') await activateWebhook(tx, place)
  })
  return readWebhook(db, place)
}

export async function resetFailures(
  parts: WebhookParts,
  place: WebhookPlace,
  precondition: Precondition,
): Promise<WebhookRecord> {
  await change(parts, place, precondition, (tx) => activateWebhook(tx, place))
  return readWebhook(parts.db, place)
}

/** Returns the new secret in full. For a day, deliveries are also signed with the previous secret. */
export async function rotateSecret(
  parts: WebhookParts,
  place: WebhookPlace,
  precondition: Precondition,
): Promise<WebhookRecord> {
  const { db, clock, vault } = parts
  const secret = newSecret()
  const sealed = vault.seal(place.webhookId, secret)
  const previousUntil = new Date(clock.now().getTime() + LIMITS.webhook.previousSecretMs)
  await change(parts, place, precondition, (tx) =>
    replaceSecret(tx, place, { sealed, start: startOf(secret) }, previousUntil),
  )
  return withSecret(await readWebhook(db, place), secret)
}

export async function removeWebhook(
  parts: WebhookParts,
  place: WebhookPlace,
  precondition: Precondition,
): Promise<void> {
  await change(parts, place, precondition, (tx) => deleteWebhook(tx, place))
}

/** Locks the webhook, checks the precondition of the caller, and writes. */
async function change(
  { db, onChange }: WebhookParts,
  place: WebhookPlace,
  precondition: Precondition,
  write: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  await db.transaction(async (tx) => {
    const webhook = await lockWebhook(tx, place)
    if (!webhook) throw problems.notFound('webhook')
    precondition.check(versionOf(webhook))
    await write(tx)
    await noteWebhooks(tx)
  })
  onChange(place.webhookId)
}
