import { type AuditQuery, type AuditRecord, LIMITS, pageOf } from '@storey/contract'
import type { Queryable } from '@storey/kit/database'
import { listEvents } from './audit.store.ts'

export interface AuditPage {
  data: AuditRecord[]
  /** The value of `before` in the request for the next page; null on the last page. */
  nextBefore: number | null
}

/** A page of the audit rows of an organization, newest first. Null selects the rows without an organization. */
export async function listAudit(db: Queryable, organizationId: string | null, query: AuditQuery): Promise<AuditPage> {
  const { limit: requested, ...filter } = query
  const { limit } = pageOf(requested === undefined ? {} : { limit: requested }, LIMITS.audit.page)
  const rows = await listEvents(db, { organizationId, ...filter }, limit + 1)
  const page = rows.slice(0, limit)
  return {
    data: page.map((row) => ({
      ...row,
      at: row.at.toISOString(),
      firstAt: row.firstAt.toISOString(),
      expiresAt: row.expiresAt?.toISOString() ?? null,
    })),
    nextBefore: rows.length > limit ? page.at(-1)!.id : null,
  }
}
