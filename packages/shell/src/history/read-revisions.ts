import type { BuildingClient, RevisionRecord, SnapshotRecord } from '@storey/sdk'
import { isRevisionNumber, revisionNumber } from './revision-at.ts'

const PAGE_SIZE = 200
export const MAX_PAGES = 25

export interface RevisionLog {
  /** Oldest first. */
  revisions: RevisionRecord[]
  hasOlder: boolean
}

/** Reads the newest pages of the change log. */
export async function readRevisions(
  api: Pick<BuildingClient, 'revisions'>,
  pages: number,
  signal: AbortSignal,
): Promise<RevisionLog> {
  const revisions: RevisionRecord[] = []
  let total = 0
  for (let page = 0; page < pages; page++) {
    const next = await api.revisions.list({ limit: PAGE_SIZE, offset: page * PAGE_SIZE }, { signal })
    revisions.push(...next.data)
    total = next.total
    if (revisions.length >= total) break
  }
  return { revisions: revisions.reverse(), hasOlder: revisions.length < total }
}

/**
 * How many pages, newest first, must be read to include the revision that the URL names. The revision may be older than
 * those of the first page.
 */
export function pagesFor(at: string | null, snapshots: readonly SnapshotRecord[], newest: number): number {
  const number = at === null ? '' : revisionNumber(at, snapshots)
  const wanted = isRevisionNumber(number) ? Number(number) : newest
  return Math.min(Math.max(Math.ceil((newest + 1 - wanted) / PAGE_SIZE), 1), MAX_PAGES)
}
