import { isUniqueViolation, type Queryable, sql } from '@storey/kit/database'

/** A developer, as given by the realm's token. */
export interface RealmDeveloper {
  id: string
  organizationId: string
  email: string | null
}

/**
 * Stores a developer who is new or has moved to another organization, as given by the realm. True if the account is
 * disabled.
 */
export async function recordDeveloper(db: Queryable, developer: RealmDeveloper, now: Date): Promise<boolean> {
  const { id, organizationId, email } = developer
  const known = await db.row<{ isDisabled: boolean }>(sql`select disabled_at is not null as "isDisabled"
    from developers where id = ${id} and organization_id = ${organizationId}`)
  if (known) return known.isDisabled
  await db.run(sql`insert into organizations (id, name, created_at)
    values (${organizationId}, ${organizationId}, ${now}) on conflict do nothing`)
  try {
    return await insertDeveloper(db, developer, now)
  } catch (err) {
    if (email === null || !isUniqueViolation(err, 'developers_email_key')) throw err
    // An email address stays with the developer who had it first, because the operator creates keys by email address.
    return await insertDeveloper(db, { ...developer, email: null }, now)
  }
}

async function insertDeveloper(
  db: Queryable,
  { id, organizationId, email }: RealmDeveloper,
  now: Date,
): Promise<boolean> {
  const row = await db.row<{ isDisabled: boolean }>(sql`insert into developers (id, organization_id, email, created_at)
    values (${id}, ${organizationId}, ${email}, ${now})
    on conflict (id) do update set organization_id = excluded.organization_id
    returning disabled_at is not null as "isDisabled"`)
  return row!.isDisabled
}
