import { randomUUID } from 'node:crypto'
import { checkQuota, type List, type Page, problems, QUOTAS, type SnapshotRecord } from '@storey/contract'
import { countLocked, type Database, isUniqueViolation, type Queryable, type Sql, sql } from '@storey/kit/database'
import { noteChange } from '../../change-feed/index.ts'
import { isUuid } from '../../graph/index.ts'

type SnapshotRow = Omit<SnapshotRecord, 'at' | 'createdAt'> & { at: Date; createdAt: Date }

export interface NewSnapshotRow {
  buildingId: string
  name: string
  description: string | null
  createdBy: string
  createdAt: Date
}

/** Names the current revision of the building. Returns undefined if there is no such building. */
export async function insertSnapshot(db: Database, row: NewSnapshotRow): Promise<SnapshotRecord | undefined> {
  const { buildingId, name, description, createdBy, createdAt } = row
  if (!isUuid(buildingId)) return undefined
  const id = randomUUID()
  try {
    await db.transaction(async (tx) => {
      const rows = sql`snapshots where building_id = ${buildingId}`
      checkQuota('snapshots', await countLocked(tx, `snapshots ${buildingId}`, rows, QUOTAS.snapshots.limit))
      const inserted = await tx.run(sql`
      insert into snapshots (id, building_id, name, description, revision, created_by, created_at)
      select ${id}, b.id, ${name}, ${description}, b.revision, ${createdBy}, ${createdAt} from buildings b
      where b.id = ${buildingId}`)
      if (inserted > 0) noteChange(tx, buildingId, 'snapshots')
    })
  } catch (err) {
    if (isUniqueViolation(err, 'snapshots_name_key'))
      throw problems.conflict('name', `The snapshot ${name} already exists`)
    throw err
  }
  return findSnapshot(db, buildingId, id)
}

export async function listSnapshots(db: Queryable, buildingId: string, page: Page): Promise<List<SnapshotRecord>> {
  const where = sql`s.building_id = ${buildingId}`
  const [rows, count] = await Promise.all([
    db.rows<SnapshotRow>(sql`
      ${selectSnapshots(where)} order by s.created_at desc, s.id limit ${page.limit} offset ${page.offset}`),
    db.row<{ total: number }>(sql`select count(*) as total from snapshots s where ${where}`),
  ])
  return { data: rows.map(toRecord), total: count!.total, ...page }
}

/** Finds a snapshot by its id or its name. */
export async function findSnapshot(
  db: Queryable,
  buildingId: string,
  key: string,
): Promise<SnapshotRecord | undefined> {
  if (!isUuid(buildingId)) return undefined
  const row = await db.row<SnapshotRow>(selectSnapshots(isSnapshot(buildingId, key)))
  return row && toRecord(row)
}

export async function deleteSnapshot(db: Database, buildingId: string, key: string): Promise<boolean> {
  if (!isUuid(buildingId)) return false
  return await db.transaction(async (tx) => {
    const isDeleted = (await tx.run(sql`delete from snapshots s where ${isSnapshot(buildingId, key)}`)) > 0
    if (isDeleted) noteChange(tx, buildingId, 'snapshots')
    return isDeleted
  })
}

function isSnapshot(buildingId: string, key: string): Sql {
  const named = isUuid(key) ? sql`s.id = ${key}` : sql`s.name = ${key}`
  return sql`s.building_id = ${buildingId} and ${named}`
}

function selectSnapshots(where: Sql): Sql {
  return sql`
    select s.id, s.name, s.description, s.revision, r.at, s.created_by as "createdBy", s.created_at as "createdAt"
    from snapshots s join revisions r on r.building_id = s.building_id and r.revision = s.revision where ${where}`
}

function toRecord(row: SnapshotRow): SnapshotRecord {
  return { ...row, at: row.at.toISOString(), createdAt: row.createdAt.toISOString() }
}
