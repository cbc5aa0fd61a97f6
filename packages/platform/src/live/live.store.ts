import { type Queryable, sql } from '@storey/kit/database'

export async function buildingExists(db: Queryable, buildingId: string): Promise<boolean> {
  return (await db.row(sql`select 1 from buildings where id = ${buildingId}`)) !== undefined
}
