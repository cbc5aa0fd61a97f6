import { type Queryable, sql } from '@storey/kit/database'
import type { RealmName } from './names.ts'

/** The key of a record of the OpenID provider. `model` is the type of the record, such as `Grant`. */
export interface ModelKey {
  realm: RealmName
  model: string
  id: Buffer
}

export interface ModelRow {
  id: Buffer
  payload: Buffer
  consumedAt: Date | null
}

export interface ModelFields {
  payload: Buffer
  grantId: string | undefined
  accountId: string | undefined
  clientId: string | undefined
  uid: Buffer | undefined
  userCode: Buffer | undefined
  expiresInS: number
}

const columns = sql`id, payload, consumed_at as "consumedAt"`

type Found = ModelRow & Record<string, unknown>

export async function upsertModel(db: Queryable, { realm, model, id }: ModelKey, fields: ModelFields): Promise<void> {
  await db.run(sql`insert into identity_models
    (realm, model, id, payload, grant_id, account_id, client_id, uid, user_code, expires_at)
    values (${realm}, ${model}, ${id}, ${fields.payload}, ${fields.grantId}, ${fields.accountId}, ${fields.clientId},
      ${fields.uid}, ${fields.userCode}, now() + make_interval(secs => ${fields.expiresInS}))
    on conflict (realm, model, id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
      account_id = excluded.account_id, client_id = excluded.client_id, uid = excluded.uid,
      user_code = excluded.user_code, expires_at = excluded.expires_at`)
}

/** Postpones the expiry of a grant, so that the grant expires with its last token. */
export async function prolongGrant(db: Queryable, realm: RealmName, grantId: string, ttlS: number): Promise<void> {
  await db.run(sql`update identity_models set expires_at = greatest(expires_at, now() + make_interval(secs => ${ttlS}))
    where grant_id = ${grantId} and realm = ${realm} and model = 'Grant'`)
}

export async function findModel(db: Queryable, { realm, model, id }: ModelKey): Promise<ModelRow | undefined> {
  return await db.row<Found>(sql`select ${columns} from identity_models
    where realm = ${realm} and model = ${model} and id = ${id} and expires_at > now()`)
}

type Lookup = { realm: RealmName; model: string }

export async function findByUid(db: Queryable, { realm, model }: Lookup, uid: Buffer): Promise<ModelRow | undefined> {
  return await db.row<Found>(sql`select ${columns} from identity_models
    where uid = ${uid} and realm = ${realm} and model = ${model} and expires_at > now()`)
}

export async function findByUserCode(
  db: Queryable,
  { realm, model }: Lookup,
  userCode: Buffer,
): Promise<ModelRow | undefined> {
  return await db.row<Found>(sql`select ${columns} from identity_models
    where user_code = ${userCode} and realm = ${realm} and model = ${model} and expires_at > now()`)
}

/** Marks a token as used. Of two concurrent calls, one succeeds. Returns false if the token was used already. */
export async function consumeModel(db: Queryable, { realm, model, id }: ModelKey): Promise<boolean> {
  const changed = await db.run(sql`update identity_models set consumed_at = now()
    where realm = ${realm} and model = ${model} and id = ${id} and consumed_at is null`)
  return changed === 1
}

/** Records that a device polls for its token. Returns false if the previous poll was too recent. */
export async function pollModel(db: Queryable, { realm, model, id }: ModelKey, gapS: number): Promise<boolean> {
  const changed = await db.run(sql`update identity_models set polled_at = now()
    where realm = ${realm} and model = ${model} and id = ${id}
      and (polled_at is null or polled_at < now() - make_interval(secs => ${gapS}))`)
  return changed === 1
}

export async function deleteModel(db: Queryable, { realm, model, id }: ModelKey): Promise<void> {
  await db.run(sql`delete from identity_models where realm = ${realm} and model = ${model} and id = ${id}`)
}

export async function deleteByGrant(db: Queryable, { realm, model }: Lookup, grantId: string): Promise<void> {
  await db.run(sql`delete from identity_models
    where grant_id = ${grantId} and realm = ${realm} and model = ${model}`)
}

export async function deleteOfAccounts(db: Queryable, realm: RealmName, accountIds: readonly string[]): Promise<void> {
  await db.run(sql`delete from identity_models where account_id = any(${accountIds}) and realm = ${realm}`)
}

export async function deleteOfClients(db: Queryable, realm: RealmName, clientIds: readonly string[]): Promise<void> {
  await db.run(sql`delete from identity_models where client_id = any(${clientIds}) and realm = ${realm}`)
}

const BATCH = 1_000

/** Deletes up to 1,000 expired rows and returns their number. */
export async function deleteExpired(db: Queryable): Promise<number> {
  return await db.run(sql`delete from identity_models where ctid = any(array(
    select ctid from identity_models where expires_at < now() limit ${BATCH} for update skip locked))`)
}
