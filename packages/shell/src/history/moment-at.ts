import type { RevisionRecord, SnapshotRecord } from '@storey/sdk'

/** The revision that an address names by its number or by the name of a snapshot; the newest where it names none. */
export function revisionAt(
  at: string | null,
  revisions: readonly RevisionRecord[],
  snapshots: readonly SnapshotRecord[],
): RevisionRecord | undefined {
  if (at === null) return revisions.at(-1)
  const named = String(snapshots.find(({ name }) => name === at)?.revision ?? at)
  return revisions.find(({ revision }) => String(revision) === named)
}
