import { problems, type RequestRecord } from '@storey/contract'
import type { Queryable } from '@storey/kit/database'
import { type Caller, isInScope } from '../../caller.ts'
import type { Desk } from './desk.ts'
import { toRecord } from './record.ts'
import { findRequest, type RequestRow } from './requests.store.ts'

/** Reads a request. Throws NOT_FOUND if there is none, or if its building is not in the caller's scope. */
export async function readRow(db: Queryable, caller: Caller, id: string): Promise<RequestRow> {
  const row = await findRequest(db, id)
  if (!row || !isInScope(caller, row.buildingId)) throw problems.notFound('service request')
  return row
}

export async function readRequest({ db, clock }: Desk, caller: Caller, id: string): Promise<RequestRecord> {
  return toRecord(await readRow(db, caller, id), clock.now())
}
