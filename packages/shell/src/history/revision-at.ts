import type { RevisionRecord, SnapshotRecord } from '@storey/sdk'

/** The revision that `at` names, by its number or by the name of a snapshot; if `at` is null, the newest revision. */
export function revisionAt(
  at: string | null,
  revisions: readonly RevisionRecord[],
  snapshots: readonly SnapshotRecord[],
): RevisionRecord | undefined {
  if (at === null) return revisions.at(-1)
  const number = revisionNumber(at, snapshots)
  return revisions.find(({ revision }) => String(revision) === number)
}

/** The number of the revision that a snapshot names. A text that is no snapshot name is returned unchanged. */
export const revisionNumber = (text: string, snapshots: readonly SnapshotRecord[]): string =>
  String(snapshots.find(({ name }) => name === text)?.revision ?? text)

/**
 * Whether a text is the number of a revision. A number always means the same revision, while the name of a snapshot or
 * a time may mean another revision later.
 */
export const isRevisionNumber = (text: string): boolean => /^[1-9]\d*$/.test(text)
