import { randomUUID } from 'node:crypto'
import { checkQuota, type NewWebhook, problems, type WebhookRecord } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { versionOf, withVersion } from '@storey/kit/http'
import type { Outbound } from '@storey/kit/outbound'
import type { Caller } from '../../../caller.ts'
import { checkAddress, checkEvents } from './check-subscription.ts'
import type { SecretVault } from './secret-vault.ts'
import { newSecret, startOf } from './secrets.ts'
import { countWebhooksLocked, findWebhook, insertWebhook, noteWebhooks, type WebhookPlace } from './webhooks.store.ts'

export interface WebhookParts {
  db: Database
  clock: Clock
  outbound: Outbound
  vault: SecretVault
  /** Called when a subscription was changed or deleted, or has something to send. */
  onChange(webhookId: string): void
}

/** A subscription gets only events of the buildings that its creator may access. */
export async function createWebhook(parts: WebhookParts, body: NewWebhook, caller: Caller): Promise<WebhookRecord> {
  const { db, clock, outbound, vault } = parts
  const { url } = body
  const events = checkEvents(body.events)
  await checkAddress(outbound, url)
  const [id, secret, buildingIds] = [randomUUID(), newSecret(), caller.buildingIds]
  const sealed = { sealedSecret: vault.seal(id, secret), secretStart: startOf(secret) }
  const row = { id, url, events, buildingIds, ...sealed, createdAt: clock.now() }
  await db.transaction(async (tx) => {
    checkQuota('webhooks', await countWebhooksLocked(tx))
    await insertWebhook(tx, row)
    await noteWebhooks(tx)
  })
  return withSecret(await readWebhook(db, { webhookId: id, scope: null }), secret)
}

/** The record with its secret in full, which reads never return. */
export function withSecret(webhook: WebhookRecord, secret: string): WebhookRecord {
  return withVersion({ ...webhook, secret }, versionOf(webhook))
}

export async function readWebhook(db: Database, place: WebhookPlace): Promise<WebhookRecord> {
  const webhook = await findWebhook(db, place)
  if (!webhook) throw problems.notFound('webhook')
  return webhook
}
