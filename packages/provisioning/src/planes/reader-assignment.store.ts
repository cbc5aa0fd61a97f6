import { type Database, type Queryable, sql } from '@storey/kit/database'

export interface AssignmentRequest {
  planeId: string
  /** A control plane that has not reported for this long counts as ended. */
  aliveMs: number
  sandboxIds: readonly string[]
}

/**
 * Chooses the sandboxes whose messages a control plane reads from an external MQTT broker. Assigns to it sandboxes that
 * no living control plane reads, up to an equal share, and returns the ids of all sandboxes that it reads from now on.
 * If it read more than its share before, the surplus sandboxes are not in the result: the caller must close their
 * sessions and release them.
 */
export async function assignReaders(db: Database, request: AssignmentRequest): Promise<string[]> {
  const { planeId, aliveMs, sandboxIds } = request
  return await db.transaction(async (tx) => {
    const living = sql`select id from control_planes where seen_at > now() - ${aliveMs} * interval '1 millisecond'`
    const planes = await tx.row<{ count: number; alive: boolean }>(
      sql`select count(*) as count, coalesce(bool_or(id = ${planeId}), false) as alive from (${living}) as living`,
    )
    if (!planes!.alive) return []
    const share = Math.ceil(sandboxIds.length / planes!.count)
    const own = await tx.rows<{ id: string }>(sql`select sandbox_id as id from mqtt_readers
      where plane_id = ${planeId} and sandbox_id = any(${sandboxIds}) order by sandbox_id limit ${share}`)
    const taken = await tx.rows<{ id: string }>(sql`
      insert into mqtt_readers (sandbox_id, plane_id)
      select s.id, ${planeId} from sandboxes s left join mqtt_readers r on r.sandbox_id = s.id
      where s.id = any(${sandboxIds}) and (r.plane_id is null or r.plane_id not in (${living}))
      order by s.id limit ${Math.max(0, share - own.length)}
      on conflict (sandbox_id) do update set plane_id = excluded.plane_id
        where mqtt_readers.plane_id not in (${living})
      returning sandbox_id as id`)
    return [...own, ...taken].map(({ id }) => id)
  })
}

export async function releaseReaders(db: Queryable, planeId: string, sandboxIds: readonly string[]): Promise<void> {
  await db.run(sql`delete from mqtt_readers where plane_id = ${planeId} and sandbox_id = any(${sandboxIds})`)
}
