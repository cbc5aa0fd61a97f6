import {
  type BuildingParameters,
  type Page,
  progressSteps,
  type SandboxStatus,
  type SeedResult,
} from '@storey/contract'
import { and, type Queryable, type Sql, sql, type Tx } from '@storey/kit/database'
import { type Busy, notBusy } from './busy.store.ts'

export interface SandboxRow {
  id: string
  developerId: string
  organizationId: string
  tenantId: string
  name: string
  slug: string
  building: BuildingParameters
  telemetryDays: number
  status: SandboxStatus
  attempts: number
  progressPercent: number
  progressStep: string
  failureReason: string | null
  siteId: string | null
  buildingId: string | null
  fingerprint: string | null
  createdAt: Date
  requestedAt: Date
  expiresAt: Date
  extensionsUsed: number
  /** The schema version of the sandbox's database; null: unknown. */
  schemaVersion: number | null
  /** The version to which the database is migrated before the stack starts; null: no migration is scheduled. */
  migrationTarget: number | null
  migrationFailure: string | null
  expiredAt: Date | null
  /** The sandbox is kept until this time, even if its grace period ends earlier; null: until the grace period ends. */
  keptUntil: Date | null
  removingAt: Date | null
  /** Whether a removal, creation or reset in progress keeps the database of the sandbox if it finds a complete one. */
  keepsDatabase: boolean
  idempotencyKey: string | null
  requestHash: Buffer
  /** The last size that the sandbox's stack measured; null: not measured yet. */
  storageBytes: number | null
  storageMeasuredAt: Date | null
  /** Since when the operator has suspended the sandbox; null: it is not suspended. */
  suspendedAt: Date | null
  suspensionReason: string | null
  /** The database server of the sandbox; null: not chosen yet, or the operator gave the server up (`server forget`). */
  serverId: string | null
  /** When the operator last resumed the sandbox; null: never. */
  resumedAt: Date | null
  /** The server to which the database of the sandbox is being moved; null: the sandbox is not being moved. */
  movingTo: string | null
  /** Since when the stack must not start, because a move is about to complete; null: no move prevents a start. */
  switchingAt: Date | null
}
type Row = SandboxRow & Record<string, unknown>

const columns = sql`id, developer_id as "developerId", organization_id as "organizationId", tenant_id as "tenantId",
  name, slug, building, telemetry_days as "telemetryDays", status, attempts, progress_percent as "progressPercent",
  progress_step as "progressStep", failure_reason as "failureReason", site_id as "siteId",
  building_id as "buildingId", fingerprint, created_at as "createdAt", requested_at as "requestedAt",
  expires_at as "expiresAt", extensions_used as "extensionsUsed", expired_at as "expiredAt", kept_until as "keptUntil",
  schema_version as "schemaVersion", migration_target as "migrationTarget", migration_failure as "migrationFailure",
  removing_at as "removingAt", keeps_database as "keepsDatabase",
  idempotency_key as "idempotencyKey", request_hash as "requestHash",
  storage_bytes as "storageBytes", storage_measured_at as "storageMeasuredAt",
  suspended_at as "suspendedAt", suspension_reason as "suspensionReason",
  resumed_at as "resumedAt", server_id as "serverId",
  moving_to as "movingTo", switching_at as "switchingAt"`

/** Expired sandboxes and those being removed do not exist for callers. */
const visible = (): Sql => sql`removing_at is null and expired_at is null`

export type NewSandbox = Pick<
  SandboxRow,
  | 'id'
  | 'developerId'
  | 'organizationId'
  | 'tenantId'
  | 'name'
  | 'slug'
  | 'building'
  | 'telemetryDays'
  | 'createdAt'
  | 'expiresAt'
  | 'idempotencyKey'
  | 'requestHash'
>

/** Serializes the creations and resets of one developer, so that the quota is not exceeded. */
export async function lockDeveloper(tx: Tx, developerId: string): Promise<{ isDisabled: boolean }> {
  const row = await tx.row<{ isDisabled: boolean }>(sql`select disabled_at is not null as "isDisabled"
    from developers where id = ${developerId} for update`)
  return row ?? { isDisabled: false }
}

export async function countByStatus(tx: Tx, developerId: string, statuses: readonly SandboxStatus[]): Promise<number> {
  const row = await tx.row<{ count: number }>(sql`select count(*) as count from sandboxes
    where developer_id = ${developerId} and status = any(${statuses}) and ${visible()}`)
  return row!.count
}

export async function findByIdempotencyKey(tx: Tx, developerId: string, key: string): Promise<SandboxRow | undefined> {
  return await tx.row<Row>(sql`select ${columns} from sandboxes
    where developer_id = ${developerId} and idempotency_key = ${key}`)
}

export async function insertSandbox(tx: Tx, sandbox: NewSandbox): Promise<SandboxRow> {
  const row = await tx.row<Row>(sql`insert into sandboxes
    (id, developer_id, organization_id, tenant_id, name, slug, building, telemetry_days, status,
     created_at, requested_at, expires_at, idempotency_key, request_hash, server_id)
    values (${sandbox.id}, ${sandbox.developerId}, ${sandbox.organizationId}, ${sandbox.tenantId}, ${sandbox.name},
      ${sandbox.slug}, ${JSON.stringify(sandbox.building)}, ${sandbox.telemetryDays}, 'provisioning',
      ${sandbox.createdAt}, ${sandbox.createdAt}, ${sandbox.expiresAt}, ${sandbox.idempotencyKey}, ${sandbox.requestHash},
      null)
    returning ${columns}`)
  return row!
}

export async function listSandboxes(
  db: Queryable,
  developerId: string,
  page: Page,
): Promise<{ rows: SandboxRow[]; total: number }> {
  const own = sql`developer_id = ${developerId} and ${visible()}`
  const rows = await db.rows<Row>(sql`select ${columns} from sandboxes where ${own}
    order by created_at desc, id limit ${page.limit} offset ${page.offset}`)
  const count = await db.row<{ count: number }>(sql`select count(*) as count from sandboxes where ${own}`)
  return { rows, total: count!.count }
}

/** A sandbox that the developer owns; undefined for any other sandbox. */
export async function findOwn(
  db: Queryable,
  id: string,
  developerId: string,
  lock = false,
): Promise<SandboxRow | undefined> {
  return await db.row<Row>(sql`select ${columns} from sandboxes
    where id = ${id} and developer_id = ${developerId} and ${visible()} ${lock ? sql`for update` : sql``}`)
}

export async function findBySlugs(db: Queryable, slugs: readonly string[]): Promise<SandboxRow[]> {
  return await db.rows<Row>(sql`select ${columns} from sandboxes where slug = any(${slugs}) and ${visible()}`)
}

/** The slugs of sandboxes in any state, by id. */
export async function readSlugs(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.rows<{ id: string; slug: string }>(sql`select id, slug from sandboxes where id = any(${ids})`)
  return new Map(rows.map(({ id, slug }) => [id, slug]))
}

/**
 * Finds a visible sandbox by its id, whoever owns it. The code that calls this has checked a credential of the sandbox,
 * or needs none.
 */
export async function findVisible(db: Queryable, id: string): Promise<SandboxRow | undefined> {
  return await db.row<Row>(sql`select ${columns} from sandboxes where id = ${id} and ${visible()}`)
}

/** All visible sandboxes (`visible`), whatever their status, with the organization that their MQTT topics name. */
export async function listTenants(
  db: Queryable,
): Promise<{ sandboxId: string; slug: string; organizationId: string }[]> {
  return await db.rows<{ sandboxId: string; slug: string; organizationId: string }>(
    sql`select id as "sandboxId", slug, tenant_id as "organizationId" from sandboxes where ${visible()} order by id`,
  )
}

/** Finds a sandbox in any state, by its id or slug. */
export async function findByName(db: Queryable, idOrSlug: string): Promise<SandboxRow | undefined> {
  return await db.row<Row>(sql`select ${columns} from sandboxes where id = ${idOrSlug} or slug = ${idOrSlug}`)
}

/** Locks a sandbox in any state, by its id or slug. */
export async function lockByName(tx: Tx, idOrSlug: string): Promise<SandboxRow | undefined> {
  return await tx.row<Row>(
    sql`select ${columns} from sandboxes where id = ${idOrSlug} or slug = ${idOrSlug} for update`,
  )
}

/** Finds a sandbox in any state, even if it is expired or being removed. */
export async function findAny(db: Queryable, id: string): Promise<SandboxRow | undefined> {
  return await db.row<Row>(sql`select ${columns} from sandboxes where id = ${id}`)
}

export interface SandboxFilter {
  organizationId?: string | undefined
  /** Absent: no limit. */
  limit?: number | undefined
}

/** Sandboxes in any state, newest first. */
export async function listAny(db: Queryable, { organizationId, limit }: SandboxFilter): Promise<SandboxRow[]> {
  const own = and(organizationId === undefined ? [] : [sql`organization_id = ${organizationId}`])
  return await db.rows<Row>(sql`select ${columns} from sandboxes where ${own}
    order by created_at desc, id ${limit === undefined ? sql`` : sql`limit ${limit}`}`)
}

export type OwnedRow = Pick<
  SandboxRow,
  | 'id'
  | 'tenantId'
  | 'slug'
  | 'status'
  | 'failureReason'
  | 'siteId'
  | 'buildingId'
  | 'fingerprint'
  | 'requestedAt'
  | 'resumedAt'
  | 'expiredAt'
  | 'removingAt'
  | 'serverId'
>

/** The last of the next `count` ids after the given one, in byte order; undefined if fewer ids follow. */
export async function findBoundary(db: Queryable, after: string, count: number): Promise<string | undefined> {
  const row = await db.row<{ id: string }>(sql`select id from sandboxes where id collate "C" > ${after}
    order by id collate "C" offset ${count - 1} limit 1`)
  return row?.id
}

/** Sandboxes in any state in a range of ids in byte order, with the columns that the reconciler's sweep needs. */
export async function listOwned(db: Queryable, { after, upTo }: { after: string; upTo: string }): Promise<OwnedRow[]> {
  return await db.rows<OwnedRow & Record<string, unknown>>(sql`
    select id, tenant_id as "tenantId", slug, status, failure_reason as "failureReason", site_id as "siteId",
      building_id as "buildingId",
      fingerprint, requested_at as "requestedAt", resumed_at as "resumedAt", expired_at as "expiredAt", removing_at as "removingAt",
      server_id as "serverId"
    from sandboxes where id collate "C" > ${after} and id collate "C" <= ${upTo} order by id collate "C"`)
}

export async function setExpiry(tx: Tx, id: string, expiresAt: Date): Promise<SandboxRow> {
  const row =
    await tx.row<Row>(sql`update sandboxes set expires_at = ${expiresAt}, extensions_used = extensions_used + 1
    where id = ${id} returning ${columns}`)
  return row!
}

/** Moves the expiry without using up an extension. */
export async function moveExpiry(tx: Tx, id: string, expiresAt: Date): Promise<void> {
  await tx.run(sql`update sandboxes set expires_at = ${expiresAt} where id = ${id}`)
}

/** Marks a sandbox of any owner, in any state, for removal. */
export async function startRemovalOfAny(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`update sandboxes set removing_at = now(), keeps_database = false, idempotency_key = null
    where id = ${id}`)
}

export async function restartProvisioning(tx: Tx, id: string, now: Date): Promise<SandboxRow> {
  const row = await tx.row<Row>(sql`update sandboxes
    set status = 'provisioning', requested_at = greatest(${now}::timestamptz, requested_at + interval '1 millisecond'), attempts = 0, progress_percent = 0, progress_step = ${progressSteps.format('waiting', {})},
      failure_reason = null, site_id = null, building_id = null, fingerprint = null, due_at = null, running_since = null,
      storage_bytes = null, storage_measured_at = null, keeps_database = false
    where id = ${id} returning ${columns}`)
  return row!
}

/** Marks the sandbox for removal. True when this call started the removal. */
export async function startRemoval(db: Queryable, id: string, developerId: string, now: Date): Promise<boolean> {
  const count =
    await db.run(sql`update sandboxes set removing_at = ${now}, keeps_database = false, idempotency_key = null
    where id = ${id} and developer_id = ${developerId} and ${visible()}`)
  return count > 0
}

/**
 * The state of a sandbox that is worked on. A removal, an expiry or a reset since the work began can make the work
 * pointless.
 */
export interface WorkState {
  id: string
  isRemoving: boolean
  isExpired: boolean
  isProvisioning: boolean
}

export async function readWorkStates(db: Queryable, ids: readonly string[]): Promise<WorkState[]> {
  return await db.rows<WorkState & Record<string, unknown>>(sql`select id, removing_at is not null as "isRemoving",
      expired_at is not null as "isExpired", status = 'provisioning' as "isProvisioning"
    from sandboxes where id = any(${ids})`)
}

/**
 * The next sandboxes to remove, without busy sandboxes (`Busy`) and without sandboxes on database servers that do not
 * answer. Organizations take turns, so that no organization waits for all removals of another one.
 */
export async function listToRemove(
  db: Queryable,
  { present, ...busy }: Busy & { present: readonly string[] },
  limit: number,
): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`select id from sandboxes
    where removing_at is not null and (server_id is null or server_id = any(${present})) and ${notBusy(busy)}
    order by row_number() over (partition by organization_id order by removing_at, id), removing_at limit ${limit}`)
  return rows.map(({ id }) => id)
}

export async function countAttempt(db: Queryable, id: string, change: 1 | -1): Promise<void> {
  await db.run(sql`update sandboxes set attempts = attempts + ${change} where id = ${id}`)
}

/** Stores the progress of provisioning. False when the sandbox is no longer being provisioned. */
export async function setProgress(db: Queryable, id: string, percent: number, step: string): Promise<boolean> {
  const count = await db.run(sql`update sandboxes set progress_percent = ${percent}, progress_step = ${step}
    where id = ${id} and status = 'provisioning' and ${visible()}`)
  return count > 0
}

/** Marks the sandbox as ready. `schemaVersion` is null if an existing database was kept, whose version is unknown. */
export async function setReady(
  db: Queryable,
  id: string,
  result: SeedResult,
  schemaVersion: number | null,
): Promise<boolean> {
  const count = await db.run(sql`update sandboxes
    set status = 'ready', progress_percent = 100, progress_step = ${progressSteps.format('ready', {})}, site_id = ${result.siteId},
      building_id = ${result.buildingId}, fingerprint = ${result.fingerprint},
      storage_bytes = ${result.storageBytes ?? null},
      storage_measured_at = case when ${result.storageBytes !== undefined} then now() end,
      keeps_database = false, schema_version = ${schemaVersion}, migration_target = null, migration_attempts = 0, migration_failure = null,
      migration_next_at = null
    where id = ${id} and status = 'provisioning' and ${visible()}`)
  return count > 0
}

export async function setStorage(db: Queryable, id: string, bytes: number): Promise<void> {
  await db.run(sql`update sandboxes set storage_bytes = ${bytes}, storage_measured_at = now()
    where id = ${id} and status = 'ready' and ${visible()}`)
}

export async function setFailed(db: Queryable, id: string, reason: string): Promise<void> {
  await db.run(sql`update sandboxes set status = 'failed', failure_reason = ${reason}
    where id = ${id} and status = 'provisioning' and ${visible()}`)
}

/** Deletes the row and records its id. The record proves that a database or folder with this id is a leftover. */
export async function deleteRow(db: Queryable, id: string): Promise<void> {
  await db.run(sql`with gone as (delete from sandboxes where id = ${id} returning id)
    insert into removed_sandboxes (id) select id from gone on conflict do nothing`)
}

export async function statusCounts(db: Queryable): Promise<Record<SandboxStatus, number>> {
  const rows = await db.rows<{ status: SandboxStatus; count: number }>(
    sql`select status, count(*) as count from sandboxes where ${visible()} group by status`,
  )
  const counts = { provisioning: 0, ready: 0, failed: 0 }
  for (const { status, count } of rows) counts[status] = count
  return counts
}
