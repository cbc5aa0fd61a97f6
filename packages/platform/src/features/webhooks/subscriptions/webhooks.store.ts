import type { List, Page, WebhookRecord } from '@storey/contract'
import { type Queryable, type Sql, sql, type Tx } from '@storey/kit/database'
import { digestVersion, withVersion } from '@storey/kit/http'
import { noteChange } from '../../../change-feed/index.ts'
import { isUuid } from '../../../graph/index.ts'
import type { SealedSigners } from './secret-vault.ts'
import { masked } from './secrets.ts'

/** The id of a subscription, and the buildings that the caller may access (null: all). */
export interface WebhookPlace {
  webhookId: string
  scope: readonly string[] | null
}

export interface NewWebhookRow {
  id: string
  url: string
  events: readonly string[]
  buildingIds: readonly string[] | null
  sealedSecret: Buffer
  /** The first characters of the secret after its prefix. Responses show the prefix and these characters. */
  secretStart: string
  createdAt: Date
}

/** Locks the version of the subscriptions before the count, so that concurrent creations cannot exceed the quota. */
export async function countWebhooksLocked(tx: Tx): Promise<number> {
  await tx.run(sql`select from webhooks_version for update`)
  return (await tx.row<{ count: number }>(sql`select count(*) as count from webhooks`))!.count
}

/** Webhooks belong to the whole sandbox, so the change is noted for each of its buildings. */
export async function noteWebhooks(tx: Tx): Promise<void> {
  const buildings = await tx.rows<{ id: string }>(sql`select id from buildings`)
  for (const { id } of buildings) noteChange(tx, id, 'webhooks')
}

export async function insertWebhook(tx: Tx, created: NewWebhookRow): Promise<void> {
  const { id, url, events, buildingIds, sealedSecret, secretStart, createdAt } = created
  await tx.run(sql`
    insert into webhooks (id, url, events, building_ids, sealed_secret, secret_start, created_at)
    values (${id}, ${url}, ${events}, ${buildingIds}, ${sealedSecret}, ${secretStart}, ${createdAt})`)
}

type WebhookRow = Omit<WebhookRecord, 'secret' | 'createdAt' | 'pausedAt'> & {
  secretStart: string | null
  secretDigest: string | null
  createdAt: Date
  pausedAt: Date | null
}

export async function listWebhooks(
  db: Queryable,
  scope: WebhookPlace['scope'],
  page: Page,
): Promise<List<WebhookRecord>> {
  const [rows, count] = await Promise.all([
    db.rows<WebhookRow>(sql`
      ${selectWebhooks(isInScope(scope))} order by created_at desc, id limit ${page.limit} offset ${page.offset}`),
    db.row<{ total: number }>(sql`select count(*) as total from webhooks where ${isInScope(scope)}`),
  ])
  return { data: rows.map(toRecord), total: count!.total, ...page }
}

export async function findWebhook(db: Queryable, place: WebhookPlace): Promise<WebhookRecord | undefined> {
  const row = await db.row<WebhookRow>(selectWebhooks(isWebhook(place)))
  return row && toRecord(row)
}

export async function lockWebhook(tx: Tx, place: WebhookPlace): Promise<WebhookRecord | undefined> {
  const row = await tx.row<WebhookRow>(sql`${selectWebhooks(isWebhook(place))} for update`)
  return row && toRecord(row)
}

/** Deletes a subscription with its deliveries and attempts. */
export async function deleteWebhook(db: Queryable, place: WebhookPlace): Promise<boolean> {
  const deleted = await db.rows(sql`
    with deleted as (delete from webhooks where ${isWebhook(place)} returning id),
    attempts as (delete from webhook_attempts a using deleted where a.webhook_id = deleted.id)
    select id from deleted`)
  return deleted.length > 0
}

export async function updateSubscription(
  tx: Tx,
  place: WebhookPlace,
  { url = null, events = null }: { url?: string | null; events?: readonly string[] | null },
): Promise<void> {
  if (url !== null) await tx.run(sql`update webhooks set url = ${url} where ${isWebhook(place)}`)
  // The events are updated by a separate statement: every update of this column changes the version of the
  // subscriptions, and an ingest that has read the previous version must check its observations again.
  if (events !== null) await tx.run(sql`update webhooks set events = ${events} where ${isWebhook(place)}`)
}

/** Pauses a subscription on behalf of a person: nothing but tests is sent until it is active again. */
export async function pauseWebhook(db: Queryable, place: WebhookPlace, at: Date): Promise<void> {
  await db.run(sql`
    update webhooks set status = 'paused', paused_by = 'person', paused_at = coalesce(paused_at, ${at}), probe_at = null
    where ${isWebhook(place)}`)
}

/** Returns false if there is no such subscription. */
export async function activateWebhook(db: Queryable, place: WebhookPlace): Promise<boolean> {
  const touched = await db.run(sql`
    update webhooks set status = 'active', consecutive_failures = 0, paused_by = null, paused_at = null, probe_at = null
    where ${isWebhook(place)}`)
  return touched > 0
}

/** Returns false if there is no such subscription. */
export async function replaceSecret(
  db: Queryable,
  place: WebhookPlace,
  { sealed, start }: { sealed: Buffer; start: string },
  previousUntil: Date,
): Promise<boolean> {
  const touched = await db.run(sql`
    update webhooks set sealed_previous_secret = sealed_secret, previous_secret_until = ${previousUntil},
      sealed_secret = ${sealed}, secret_start = ${start}
    where ${isWebhook(place)}`)
  return touched > 0
}

/** The address and the signing secrets. */
export type WebhookTarget = { [K in keyof SealedSigners]: SealedSigners[K] } & { id: string; url: string }

export async function findTarget(db: Queryable, place: WebhookPlace): Promise<WebhookTarget | undefined> {
  return db.row<WebhookTarget>(sql`
    select id, url, sealed_secret as "sealedSecret", sealed_previous_secret as "sealedPreviousSecret",
      previous_secret_until as "previousSecretUntil"
    from webhooks where ${isWebhook(place)}`)
}

export function isWebhook({ webhookId, scope }: WebhookPlace): Sql {
  if (!isUuid(webhookId)) return sql`false`
  return sql`webhooks.id = ${webhookId} and ${isInScope(scope)}`
}

/** A caller that is limited to some buildings sees only subscriptions that are limited to some of these buildings. */
function isInScope(scope: WebhookPlace['scope']): Sql {
  if (scope === null) return sql`true`
  // An empty list is contained in every list, but only a caller without buildings sees a subscription without
  // buildings.
  return sql`(webhooks.building_ids <@ ${scope}::text[] and (webhooks.building_ids <> '{}' or ${scope}::text[] = '{}'))`
}

function selectWebhooks(where: Sql): Sql {
  return sql`
    select id, url, events, secret_start as "secretStart", encode(sha256(sealed_secret), 'base64') as "secretDigest",
      status, consecutive_failures as "consecutiveFailures", paused_at as "pausedAt", paused_by as "pausedBy",
      created_at as "createdAt"
    from webhooks where ${where}`
}

/** The version of the record changes with its address, events, pause and secret, not with each failed delivery. */
function toRecord({ secretStart, secretDigest, pausedAt, createdAt, ...row }: WebhookRow): WebhookRecord {
  const record = {
    ...row,
    secret: masked(secretStart ?? ''),
    pausedAt: pausedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }
  return withVersion(record, digestVersion(row.url, row.events, row.pausedBy ?? row.status, pausedAt, secretDigest))
}
