import { isUniqueViolation, type Queryable, type Sql, sql } from '@storey/kit/database'

/** A developer, as given by the realm's token. */
export interface RealmDeveloper {
  id: string
  organizationId: string
  email: string | null
}

/** What the operator has decided about a developer. */
export interface DeveloperState {
  isDisabled: boolean
  /** Tokens that were issued until this time are refused. */
  tokensRevokedAt: Date | null
}

const state = (): Sql => sql`disabled_at is not null as "isDisabled", tokens_revoked_at as "tokensRevokedAt"`

type StateRow = DeveloperState & Record<string, unknown>

/** Stores a developer who is new or has moved to another organization, as given by the realm. */
export async function recordDeveloper(db: Queryable, developer: RealmDeveloper, now: Date): Promise<DeveloperState> {
  const { id, organizationId, email } = developer
  const known = await db.row<StateRow>(
    sql`select ${state()} from developers where id = ${id} and organization_id = ${organizationId}`,
  )
  if (known) return known
  await db.run(sql`insert into organizations (id, name, created_at)
    values (${organizationId}, ${organizationId}, ${now}) on conflict do nothing`)
  try {
    return await insertDeveloper(db, developer, now)
  } catch (err) {
    if (email === null || !isUniqueViolation(err, 'developers_email_key')) throw err
    // The operator names a developer by email address, so an address stays with the developer who had it first.
    return await insertDeveloper(db, { ...developer, email: null }, now)
  }
}

async function insertDeveloper(
  db: Queryable,
  { id, organizationId, email }: RealmDeveloper,
  now: Date,
): Promise<DeveloperState> {
  const row = await db.row<StateRow>(sql`insert into developers (id, organization_id, email, created_at)
    values (${id}, ${organizationId}, ${email}, ${now})
    on conflict (id) do update set organization_id = excluded.organization_id returning ${state()}`)
  return row!
}
