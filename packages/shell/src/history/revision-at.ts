import type { RevisionRecord, SnapshotRecord } from '@storey/sdk'

/** The revision with a number or a snapshot name; the newest for null. */
export function revisionAt(
  at: string | null,
  revisions: readonly RevisionRecord[],
  snapshots: readonly SnapshotRecord[],
): RevisionRecord | undefined {
  if (at === null) return revisions.at(-1)
  const number = String(snapshots.find(({ name }) => name === at)?.revision ?? at)
  return revisions.find(({ revision }) => String(revision) === number)
}
