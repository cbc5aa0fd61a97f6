import { prepared, type Queryable, sql } from '@storey/kit/database'
import type { Suspended } from '../sandboxes/index.ts'
import type { OpenRequest } from './operator-requests.store.ts'

/** The work that operator commands leave to the running service. */
export interface OperatorWork {
  /** All suspended sandboxes. */
  suspended: Suspended[]
  /** The first 100 requests that wait for an answer, oldest first. */
  requests: OpenRequest[]
  /** The ids of the sandboxes that are being moved. */
  moving: string[]
}

/** Uses one prepared statement, because the service calls this every second, and an idle service should cost little. */
export async function readOperatorWork(db: Queryable): Promise<OperatorWork> {
  const row = await db.row<OperatorWork & Record<string, unknown>>(
    prepared(sql`select
    array(select json_build_object('id', id, 'slug', slug)
      from sandboxes where suspended_at is not null order by id) as suspended,
    array(select json_build_object('id', id, 'kind', kind, 'sandboxId', sandbox_id)
      from operator_requests where answer is null order by id limit 100) as requests,
    array(select id from sandboxes where moving_to is not null order by id) as moving`),
  )
  return row!
}
