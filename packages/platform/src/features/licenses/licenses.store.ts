import { randomUUID } from 'node:crypto'
import {
  checkQuota,
  type LicenseQuery,
  type LicenseRecord,
  type List,
  type NewLicense,
  type Page,
  problems,
  QUOTAS,
} from '@storey/contract'
import { and, countLocked, type Database, isUniqueViolation, type Queryable, type Sql, sql } from '@storey/kit/database'

type LicenseRow = Omit<LicenseRecord, 'createdAt'> & { createdAt: Date }

/**
 * Returns the new licence, or 'module' or 'building' if there is no such module or building. Throws CONFLICT if the
 * module already has a licence for the building.
 */
export async function insertLicense(
  db: Database,
  { moduleSlug, buildingId }: NewLicense,
  by: { actor: string; at: Date },
): Promise<LicenseRecord | 'module' | 'building'> {
  try {
    // Locks the module and the building, so that neither is deleted meanwhile. If another transaction is deleting one
    // of them, the statement waits until that transaction ends.
    const row = await db.transaction(async (tx) => {
      const used = await countLocked(tx, 'licences', sql`licenses`, QUOTAS.licenses.limit)
      checkQuota('licenses', used)
      return await tx.row<LicenseRow>(sql`
      with module as (select slug from modules where slug = ${moduleSlug} for key share),
        building as (select id from buildings where id = ${buildingId} for key share)
      insert into licenses (id, module_slug, building_id, created_at, created_by)
      select ${randomUUID()}, module.slug, building.id, ${by.at}, ${by.actor} from module, building
      returning ${COLUMNS}`)
    })
    if (row) return toRecord(row)
  } catch (err) {
    if (!isUniqueViolation(err, 'licenses_module_slug_building_id_key')) throw err
    throw problems.conflict('moduleSlug', `${moduleSlug} has a licence for this building already`)
  }
  return (await moduleExists(db, moduleSlug)) ? 'building' : 'module'
}

async function moduleExists(db: Queryable, slug: string): Promise<boolean> {
  return (await db.row(sql`select from modules where slug = ${slug}`)) !== undefined
}

export async function listLicenses(
  db: Queryable,
  { moduleSlug, buildingId }: LicenseQuery,
  scope: readonly string[] | null,
  page: Page,
): Promise<List<LicenseRecord>> {
  const conditions: Sql[] = []
  if (moduleSlug !== undefined) conditions.push(sql`module_slug = ${moduleSlug}`)
  if (buildingId !== undefined) conditions.push(sql`building_id = ${buildingId}`)
  if (scope !== null) conditions.push(sql`building_id::text = any(${scope})`)
  const where = and(conditions)
  const [rows, count] = await Promise.all([
    db.rows<LicenseRow>(sql`
      select ${COLUMNS} from licenses where ${where} order by created_at, id limit ${page.limit} offset ${page.offset}`),
    db.row<{ total: number }>(sql`select count(*) as total from licenses where ${where}`),
  ])
  return { data: rows.map(toRecord), total: count!.total, ...page }
}

export async function findLicense(db: Queryable, id: string): Promise<LicenseRecord | undefined> {
  const row = await db.row<LicenseRow>(sql`select ${COLUMNS} from licenses where id = ${id}`)
  return row && toRecord(row)
}

export async function deleteLicense(db: Queryable, id: string): Promise<boolean> {
  return (await db.run(sql`delete from licenses where id = ${id}`)) > 0
}

const COLUMNS: Sql = sql`id as "licenseId", module_slug as "moduleSlug", building_id as "buildingId",
  created_at as "createdAt", created_by as "createdBy"`

function toRecord({ createdAt, ...row }: LicenseRow): LicenseRecord {
  return { ...row, createdAt: createdAt.toISOString() }
}
