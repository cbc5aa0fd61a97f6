import type { BuildingClient, SnapshotRecord } from '@storey/sdk'
import { readAll } from '@storey/web'

/** All snapshots of the building, which may be more than one page. */
export const readSnapshots = (
  { snapshots }: Pick<BuildingClient, 'snapshots'>,
  signal: AbortSignal,
): Promise<SnapshotRecord[]> => readAll(snapshots.listAll({}, { signal }))
