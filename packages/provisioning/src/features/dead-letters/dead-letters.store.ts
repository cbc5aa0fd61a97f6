import { and, type Database, type Queryable, sql } from '@storey/kit/database'

export interface DeadLetter {
  id: string
  sandboxId: string
  topic: string
  bytes: number
  /** When the message arrived. Observations without a timestamp get this time. */
  arrivedAt: Date
  reason: string
  requestId: string | null
  firstFailedAt: Date
  lastFailedAt: Date
  attempts: number
  resendRequestedAt: Date | null
}
type Row = DeadLetter & Record<string, unknown>

const columns = sql`id, sandbox_id as "sandboxId", topic, length(payload) as bytes, arrived_at as "arrivedAt", reason,
  request_id as "requestId", first_failed_at as "firstFailedAt", last_failed_at as "lastFailedAt", attempts,
  resend_requested_at as "resendRequestedAt"`

export interface NewDeadLetter {
  id: string
  sandboxId: string
  topic: string
  payload: Buffer
  arrivedAt: Date
  /** SHA-256 of the payload, in hexadecimal digits. */
  digest: string
  reason: string
  requestId: string | null
  firstFailedAt: Date
  lastFailedAt: Date
  attempts: number
}

export interface DeadLetterLimits {
  rows: number
  bytes: number
}

/**
 * Inserts a dead letter, or updates the earlier one of the sandbox with the same payload. Returns its id; undefined
 * when a limit is reached.
 */
export async function insertDeadLetter(
  db: Database,
  letter: NewDeadLetter,
  limits: DeadLetterLimits,
): Promise<string | undefined> {
  const { sandboxId, payload, digest, lastFailedAt, attempts } = letter
  return await db.transaction(async (tx) => {
    // Only one transaction at a time inserts dead letters of a sandbox, so the count below stays within the limits.
    await tx.run(sql`select 1 from sandboxes where id = ${sandboxId} for no key update`)
    const again = await tx.row<{ id: string }>(sql`update dead_letters
      set last_failed_at = ${lastFailedAt}, attempts = attempts + ${attempts}, reason = ${letter.reason},
        request_id = ${letter.requestId}
      where sandbox_id = ${sandboxId} and digest = decode(${digest}, 'hex') returning id`)
    if (again) return again.id
    const used = await tx.row<{ rows: number; bytes: number }>(sql`select count(*) as rows,
      coalesce(sum(length(payload)), 0) as bytes from dead_letters where sandbox_id = ${sandboxId}`)
    if (used!.rows >= limits.rows || used!.bytes + payload.length > limits.bytes) return undefined
    await tx.run(sql`insert into dead_letters
      (id, sandbox_id, topic, payload, arrived_at, digest, reason, request_id, first_failed_at, last_failed_at, attempts)
      values (${letter.id}, ${sandboxId}, ${letter.topic}, ${payload}, ${letter.arrivedAt}, decode(${digest}, 'hex'),
        ${letter.reason}, ${letter.requestId}, ${letter.firstFailedAt}, ${lastFailedAt}, ${attempts})`)
    return letter.id
  })
}

export async function listDeadLetters(db: Queryable, sandboxId?: string): Promise<DeadLetter[]> {
  const conditions = and(sandboxId === undefined ? [] : [sql`sandbox_id = ${sandboxId}`])
  return await db.rows<Row>(sql`select ${columns} from dead_letters where ${conditions} order by first_failed_at, id`)
}

export async function findDeadLetter(
  db: Queryable,
  id: string,
): Promise<(DeadLetter & { payload: Buffer }) | undefined> {
  return await db.row<Row & { payload: Buffer }>(sql`select ${columns}, payload from dead_letters where id = ${id}`)
}

/** The id of a dead letter, and the sandbox that it belongs to. */
export type DeadLetterKey = Pick<DeadLetter, 'id' | 'sandboxId'>

/** Marks one dead letter, or all dead letters of a sandbox, for a resend by the service. Returns these dead letters. */
export async function requestResend(
  db: Queryable,
  selected: { id: string } | { sandboxId: string },
  now: Date,
): Promise<DeadLetterKey[]> {
  const which = 'id' in selected ? sql`id = ${selected.id}` : sql`sandbox_id = ${selected.sandboxId}`
  return await db.rows<DeadLetterKey & Record<string, unknown>>(
    sql`update dead_letters set resend_requested_at = ${now} where ${which} returning id, sandbox_id as "sandboxId"`,
  )
}

/**
 * Of dead letters that no longer exist, returns the ids of those that were deleted with their sandbox, or by the
 * operator command with this name. The others were resent and stored.
 */
export async function listDeleted(
  db: Queryable,
  letters: readonly DeadLetterKey[],
  command: string,
): Promise<string[]> {
  const [ids, sandboxIds] = [letters.map(({ id }) => id), letters.map(({ sandboxId }) => sandboxId)]
  const rows = await db.rows<{ id: string }>(sql`
    select id from unnest(${ids}::text[], ${sandboxIds}::text[]) as letter (id, sandbox_id)
    where not exists (select from sandboxes where sandboxes.id = letter.sandbox_id)
      or exists (select from operator_audit where command = ${command} and subject = letter.id)`)
  return rows.map(({ id }) => id)
}

/** The dead letters with the oldest requests for a resend, without those of the sandboxes in `except`. */
export async function listToResend(
  db: Queryable,
  { limit, except }: { limit: number; except: readonly string[] },
): Promise<{ id: string; sandboxId: string }[]> {
  return await db.rows<{ id: string; sandboxId: string }>(sql`select id, sandbox_id as "sandboxId" from dead_letters
    where resend_requested_at is not null and sandbox_id <> all(${except}::text[])
    order by resend_requested_at, first_failed_at, id limit ${limit}`)
}

/** Records that a resend failed. The dead letter is not resent again until the operator requests it. */
export async function noteFailedResend(db: Queryable, id: string, reason: string, at: Date): Promise<void> {
  await db.run(sql`update dead_letters set resend_requested_at = null, reason = ${reason}, last_failed_at = ${at},
    attempts = attempts + 1 where id = ${id}`)
}

export async function deleteDeadLetter(db: Queryable, id: string): Promise<boolean> {
  return (await db.run(sql`delete from dead_letters where id = ${id}`)) > 0
}

/** The number of all dead letters, and the numbers by sandbox for the sandboxes that have the most. */
export async function countDeadLetters(
  db: Queryable,
  maxSandboxes: number,
): Promise<{ total: number; bySandbox: Record<string, number> }> {
  const rows = await db.rows<{ sandboxId: string; count: number; total: number }>(sql`
    select sandbox_id as "sandboxId", count(*) as count, sum(count(*)) over () as total from dead_letters
    group by sandbox_id order by count(*) desc, sandbox_id limit ${maxSandboxes}`)
  const bySandbox = Object.fromEntries(rows.map(({ sandboxId, count }) => [sandboxId, count]))
  return { total: rows[0]?.total ?? 0, bySandbox }
}
