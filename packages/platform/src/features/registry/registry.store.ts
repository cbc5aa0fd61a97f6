import {
  checkQuota,
  EXPOSE_NAME,
  federationNameOf,
  type List,
  type ModuleIngest,
  type ModuleRecord,
  type Page,
  QUOTAS,
} from '@storey/contract'
import { countLocked, type Database, type Queryable, type Sql, sql, type Tx } from '@storey/kit/database'
import { instantVersion, type Precondition } from '@storey/kit/http'
import { isCompatible } from './compatible.ts'

type ModuleRow = Pick<
  ModuleRecord,
  'slug' | 'name' | 'version' | 'sdkVersion' | 'remoteEntryUrl' | 'buildingTypes' | 'events' | 'manifest'
> & { updatedAt: Date }

/** Inserts or replaces a module. */
export async function putModule(
  db: Database,
  { manifest, remoteEntryUrl }: ModuleIngest,
  at: Date,
  precondition: Precondition,
): Promise<{ record: ModuleRecord; isNew: boolean }> {
  const { slug, name, version, sdkVersion, buildingTypes = [], events } = manifest
  const { publishes = [], subscribes = [] } = events ?? {}
  const row = await db.transaction(async (tx) => {
    const others = sql`modules where slug <> ${slug}`
    const used = await countLocked(tx, 'modules', others, QUOTAS.modules.limit)
    checkQuota('modules', used)
    const before = await lockModule(tx, slug)
    if (before) precondition.check(instantVersion(before.updatedAt))
    else precondition.checkAbsent()
    return await tx.row<ModuleRow & { isNew: boolean }>(sql`
    insert into modules (slug, name, version, sdk_version, remote_entry_url, building_types, events, manifest, updated_at)
    values (${slug}, ${name}, ${version}, ${sdkVersion}, ${remoteEntryUrl}, ${[...new Set(buildingTypes)]},
      ${JSON.stringify({ publishes, subscribes })}, ${JSON.stringify(manifest)}, ${at})
    on conflict (slug) do update set name = excluded.name, version = excluded.version,
      sdk_version = excluded.sdk_version, remote_entry_url = excluded.remote_entry_url,
      building_types = excluded.building_types, events = excluded.events, manifest = excluded.manifest,
      updated_at = greatest(excluded.updated_at, modules.updated_at + interval '1 millisecond')
    returning ${COLUMNS}, xmax = 0 as "isNew"`)
  })
  const { isNew, ...module } = row!
  return { record: toRecord(module), isNew }
}

export async function listModules(db: Queryable, page: Page): Promise<List<ModuleRecord>> {
  const [rows, count] = await Promise.all([
    db.rows<ModuleRow>(sql`select ${COLUMNS} from modules order by slug limit ${page.limit} offset ${page.offset}`),
    db.row<{ total: number }>(sql`select count(*) as total from modules`),
  ])
  return { data: rows.map(toRecord), total: count!.total, ...page }
}

export async function findModule(db: Queryable, slug: string): Promise<ModuleRecord | undefined> {
  const row = await db.row<ModuleRow>(sql`select ${COLUMNS} from modules where slug = ${slug}`)
  return row && toRecord(row)
}

/** Locks the module for this transaction. */
async function lockModule(tx: Tx, slug: string): Promise<{ updatedAt: Date } | undefined> {
  return await tx.row<{ updatedAt: Date }>(
    sql`select updated_at as "updatedAt" from modules where slug = ${slug} for update`,
  )
}

/** Deletes the module and its licences. Returns false if there is no such module. */
export async function deleteModule(db: Database, slug: string, precondition: Precondition): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const before = await lockModule(tx, slug)
    if (!before) return false
    precondition.check(instantVersion(before.updatedAt))
    return (await tx.run(sql`delete from modules where slug = ${slug}`)) > 0
  })
}

const COLUMNS: Sql = sql`slug, name, version, sdk_version as "sdkVersion", remote_entry_url as "remoteEntryUrl",
  building_types as "buildingTypes", events, manifest, updated_at as "updatedAt"`

/** Compatibility depends on the current version of the platform, so it is computed on read. */
function toRecord({ updatedAt, ...row }: ModuleRow): ModuleRecord {
  return {
    ...row,
    compatible: isCompatible(row.sdkVersion),
    federationName: federationNameOf(row.slug),
    exposeName: EXPOSE_NAME,
    updatedAt: updatedAt.toISOString(),
  }
}
