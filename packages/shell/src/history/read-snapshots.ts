import type { BuildingClient, SnapshotRecord } from '@storey/sdk'

/** All snapshots of the building, which may be more than one page. */
export async function readSnapshots(
  { snapshots }: Pick<BuildingClient, 'snapshots'>,
  signal: AbortSignal,
): Promise<SnapshotRecord[]> {
  const found: SnapshotRecord[] = []
  for await (const snapshot of snapshots.listAll({}, { signal })) found.push(snapshot)
  return found
}
