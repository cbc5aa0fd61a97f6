import type { CallOptions, ChangeOptions, HttpClient } from '../http/client.ts'
import type { NewSnapshot, SnapshotRecord } from '../wire.ts'
import { type ReadApi, readApi, verbs } from './resource.ts'

/**
 * Names for revisions. A snapshot is read and deleted by its id or its name.
 *
 * @stable
 */
export interface SnapshotsApi extends ReadApi<SnapshotRecord> {
  create(body: NewSnapshot, options?: CallOptions): Promise<SnapshotRecord>
  delete(idOrName: string, options?: ChangeOptions): Promise<void>
}

export function snapshotsApi(http: HttpClient, building: string): SnapshotsApi {
  const all = `${building}/snapshots`
  const { create, delete: remove } = verbs(http, all)
  return { ...readApi(http, all), create, delete: remove }
}
