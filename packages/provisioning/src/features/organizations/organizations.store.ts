import { type Queryable, sql } from '@storey/kit/database'

export interface Developer {
  id: string
  organizationId: string
  email: string
}

const developerColumns = sql`id, organization_id as "organizationId", email`

export async function insertOrganization(db: Queryable, id: string, name: string, at: Date): Promise<void> {
  await db.run(
    sql`insert into organizations (id, name, created_at) values (${id}, ${name}, ${at}) on conflict do nothing`,
  )
}

export async function organizationExists(db: Queryable, id: string): Promise<boolean> {
  return (await db.row(sql`select 1 from organizations where id = ${id}`)) !== undefined
}

export async function insertDeveloper(db: Queryable, developer: Developer, at: Date): Promise<void> {
  await db.run(sql`insert into developers (id, organization_id, email, created_at)
    values (${developer.id}, ${developer.organizationId}, ${developer.email}, ${at})`)
}

export async function findDeveloper(db: Queryable, email: string): Promise<Developer | undefined> {
  return await db.row<Developer & Record<string, unknown>>(
    sql`select ${developerColumns} from developers where email = ${email}`,
  )
}

export async function oldestDeveloper(db: Queryable, organizationId: string): Promise<Developer | undefined> {
  return await db.row<Developer & Record<string, unknown>>(
    sql`select ${developerColumns} from developers where organization_id = ${organizationId} order by created_at, id limit 1`,
  )
}
