import {
  checkQuota,
  type ImportCounts,
  type ImportRecord,
  type ImportSummary,
  type LeftOutEntity,
  type List,
  type Page,
  QUOTAS,
  type RemovedNode,
} from '@storey/contract'
import {
  copyRows,
  countLocked,
  type Database,
  holdFor,
  isFreeFor,
  isHeldBy,
  type Lease,
  type Queryable,
  RELEASE,
  type Sql,
  sql,
  type Tx,
} from '@storey/kit/database'
import { noteChange } from '../../change-feed/index.ts'
import { isUuid } from '../../graph/index.ts'
import { deleteFile } from './import-files.store.ts'

export interface NewImport {
  id: string
  buildingId: string
  replace: boolean
  actor: string
  fileName: string | null
  sizeBytes: number
  createdAt: Date
}

/**
 * Inserts an import. Throws QUOTA_EXCEEDED if too many imports of the building wait. `storeFile` writes the uploaded
 * file into the database, in the same transaction. Without `storeFile`, the file stays on the disk of this process.
 */
export async function insertImport(
  db: Database,
  made: NewImport,
  storeFile?: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { id, buildingId, replace, actor, fileName, sizeBytes, createdAt } = made
  await db.transaction(async (tx) => {
    await tx.run(sql`
      insert into imports (id, building_id, status, replace, actor, file_name, size_bytes, created_at)
      values (${id}, ${buildingId}, 'queued', ${replace}, ${actor}, ${fileName}, ${sizeBytes}, ${createdAt})`)
    await storeFile?.(tx)
    // The file is stored first, because storing may take a while, and other uploads wait while this transaction has the
    // lock of the quota check.
    const others = sql`${waitingOf(buildingId)} and id <> ${id}`
    const used = await countLocked(tx, `imports ${buildingId}`, others, QUOTAS.importsWaiting.limit)
    checkQuota('importsWaiting', used)
    noteChange(tx, buildingId, 'imports')
  })
}

export async function countWaiting(db: Queryable, buildingId: string): Promise<number> {
  const row = await db.row<{ total: number }>(sql`select count(*) as total from ${waitingOf(buildingId)}`)
  return row!.total
}

const waitingOf = (buildingId: string): Sql =>
  sql`imports where building_id = ${buildingId} and status in ('queued', 'running')`

export type WaitingImport = { id: string; buildingId: string; replace: boolean; actor: string; attempts: number }

/** A lease whose holder begins with `serviceRun`: the run of the control plane that started this process. */
export interface ImportLease extends Lease {
  serviceRun: string
}

/**
 * Leases the import that waits longest, which can be one whose process died. An import waits for all earlier ones of
 * its building, so that the model of the last one remains. Taking the lease does not count as another attempt if this
 * process already holds the lease, or if the previous attempt was in an earlier run of the control plane.
 */
export async function leaseNext(db: Database, lease: ImportLease, at: Date): Promise<WaitingImport | undefined> {
  return await db.transaction(async (tx) => {
    const next = await tx.row<WaitingImport>(updateNext(lease, at))
    if (next) noteChange(tx, next.buildingId, 'imports')
    return next
  })
}

const updateNext = (lease: ImportLease, at: Date): Sql => sql`
    update imports set status = 'running', started_at = coalesce(started_at, ${at}), ${holdFor(lease)},
      attempts = attempts + case when ${isHeldBy(lease)} then 0
        when status = 'running' and not starts_with(lease_holder::text, ${lease.serviceRun}) then 0
        else 1 end
    where id = (
      select id from imports waiting where status in ('queued', 'running') and ${isFreeFor(lease)} and not exists (
        select from imports earlier where earlier.building_id = waiting.building_id
          and earlier.status in ('queued', 'running')
          and (earlier.created_at, earlier.id) < (waiting.created_at, waiting.id))
      order by created_at, id limit 1 for update skip locked
    )
    returning id, building_id as "buildingId", replace, actor, attempts`

/** Returns false if this process no longer has the lease. */
export async function renewLease(db: Queryable, id: string, lease: Lease): Promise<boolean> {
  const renewed = await db.run(sql`
    update imports set ${holdFor(lease)} where id = ${id} and status = 'running' and ${isHeldBy(lease)}`)
  return renewed === 1
}

/** Milliseconds until the first lease of a running import ends, or null if no import is running. */
export async function untilNextLeaseEnds(db: Queryable): Promise<number | null> {
  const row = await db.row<{ ms: number | null }>(sql`
    select ceil(extract(epoch from min(leased_until) - now()) * 1000)::float8 as ms from imports where status = 'running'`)
  return row!.ms
}

/** Queues the import again at a shutdown, without counting an attempt. */
export async function requeue(db: Queryable, id: string, lease: Lease): Promise<void> {
  await db.run(sql`
    update imports set status = 'queued', attempts = attempts - 1, ${RELEASE}
    where id = ${id} and status = 'running' and ${isHeldBy(lease)}`)
}

export async function listWaitingIds(db: Queryable): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`select id from imports where status in ('queued', 'running')`)
  return rows.map(({ id }) => id)
}

export async function failImport(db: Database, id: string, lease: Lease, reason: string, at: Date): Promise<void> {
  await db.transaction(async (tx) => {
    const failed = await tx.row<{ buildingId: string }>(sql`
      update imports set status = 'failed', failure_reason = ${reason}, finished_at = ${at}, ${RELEASE}
      where id = ${id} and status = 'running' and ${isHeldBy(lease)} returning building_id as "buildingId"`)
    if (!failed) return
    await deleteFile(tx, id)
    noteChange(tx, failed.buildingId, 'imports')
  })
}

export interface FinishedImport {
  schema: string
  revision: number | null
  counts: Record<'storeys' | 'spaces' | 'elements' | 'points', ImportCounts>
  leftOut: readonly LeftOutEntity[]
  removed: readonly RemovedNode[]
}

/** Another process has the lease of the import. */
export class LeaseLost extends Error {}

/** Call in the transaction that writes the graph, so that the import is finished only if the graph is written. */
export async function finishImport(tx: Tx, id: string, lease: Lease, done: FinishedImport, at: Date): Promise<void> {
  const { schema, revision, counts, leftOut, removed } = done
  const finished = await tx.row<{ buildingId: string }>(sql`
    update imports set status = 'succeeded', schema = ${schema}, revision = ${revision},
      counts = ${JSON.stringify(counts)}, left_out_total = ${leftOut.length}, removed = ${JSON.stringify(removed)},
      finished_at = ${at}, ${RELEASE}
    where id = ${id} and status = 'running' and ${isHeldBy(lease)} returning building_id as "buildingId"`)
  if (!finished) throw new LeaseLost(`import ${id} is held by another process`)
  await deleteFile(tx, id)
  noteChange(tx, finished.buildingId, 'imports')
  await copyRows(
    tx,
    'import_left_out',
    ['import_id', 'position', 'entity'],
    leftOut.map((entity, i) => [id, i, JSON.stringify(entity)]),
  )
}

type ImportRow = Omit<ImportSummary, 'createdAt' | 'startedAt' | 'finishedAt'> & {
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

const SUMMARY = sql`id as "importId", status, replace, actor, file_name as "fileName", size_bytes as "sizeBytes", schema,
  failure_reason as "failureReason", revision, counts, left_out_total as "leftOutTotal", created_at as "createdAt",
  started_at as "startedAt", finished_at as "finishedAt"`

export async function listImports(db: Queryable, buildingId: string, page: Page): Promise<List<ImportSummary>> {
  const [rows, count] = await Promise.all([
    db.rows<ImportRow>(sql`
      select ${SUMMARY} from imports where building_id = ${buildingId}
      order by created_at desc, id limit ${page.limit} offset ${page.offset}`),
    db.row<{ total: number }>(sql`select count(*) as total from imports where building_id = ${buildingId}`),
  ])
  return { data: rows.map(toSummary), total: count!.total, ...page }
}

export async function findImport(
  db: Queryable,
  buildingId: string,
  id: string,
  maxLeftOut: number,
): Promise<ImportRecord | undefined> {
  if (!isUuid(buildingId) || !isUuid(id)) return undefined
  const row = await db.row<ImportRow & { removed: RemovedNode[] }>(
    sql`select ${SUMMARY}, removed from imports where building_id = ${buildingId} and id = ${id}`,
  )
  if (!row) return undefined
  const { removed, ...summary } = row
  return { ...toSummary(summary), leftOut: await readLeftOut(db, id, { limit: maxLeftOut, offset: 0 }), removed }
}

export async function readLeftOut(db: Queryable, id: string, page: Page): Promise<LeftOutEntity[]> {
  const rows = await db.rows<{ entity: LeftOutEntity }>(sql`
    select entity from import_left_out where import_id = ${id} and position >= ${page.offset}::bigint
    order by position limit ${page.limit}`)
  return rows.map(({ entity }) => entity)
}

function toSummary(row: ImportRow): ImportSummary {
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }
}

/** Adds the GlobalIds of the model's building and site to the external ids of the building and of its site. */
export async function addGlobalIds(
  tx: Tx,
  buildingId: string,
  ids: { building: string | null; site: string | null },
): Promise<void> {
  if (ids.building !== null) await tx.run(addTo(sql`buildings`, sql`t.id = ${buildingId}`, ids.building))
  const ofSite = sql`t.id = (select site_id from buildings where id = ${buildingId})`
  if (ids.site !== null) await tx.run(addTo(sql`sites`, ofSite, ids.site))
}

function addTo(table: Sql, where: Sql, globalId: string): Sql {
  const pair = JSON.stringify([{ sourceSystem: 'ifc', externalId: globalId }])
  return sql`
    update ${table} t set external_ids = (t.external_ids::jsonb || ${pair}::jsonb)::json
    where ${where} and not t.external_ids::jsonb @> ${pair}::jsonb`
}
