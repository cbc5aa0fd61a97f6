import type { Database } from '@storey/kit/database'
import { isUuid } from '../../../graph/index.ts'
import { ExternalIdIndex } from './external-id-index.ts'
import { readExternalIds, readPoints, readRevision } from './ingest.store.ts'
import { PointIndex } from './point-index.ts'

export interface KnownPoints {
  revision: number
  index: PointIndex
  /** The id and the element of each point, by number. */
  ids: Map<number, { id: string; elementId: string }>
  /** The points by their external ids, read at first use. Undefined: the graph has changed since `revision`. */
  externalIds(): Promise<ExternalIdIndex | undefined>
}

/** The points of each building at a revision. `after` reads them again when the graph has changed. */
export function createKnownPoints(db: Database) {
  const known = new Map<string, Promise<KnownPoints | undefined>>()

  async function read(buildingId: string): Promise<KnownPoints | undefined> {
    if (!isUuid(buildingId)) return undefined
    return db.snapshot(async (tx) => {
      const revision = await readRevision(tx, buildingId)
      if (revision === undefined) return undefined
      const points = await readPoints(tx, buildingId)
      const ids = new Map(points.map(({ id, number, elementId }) => [number, { id, elementId }]))
      const externalIds = onceRead(() => readIndex(buildingId, revision))
      return { revision, index: new PointIndex(points, points.length), ids, externalIds }
    })
  }

  function readIndex(buildingId: string, revision: number): Promise<ExternalIdIndex | undefined> {
    return db.snapshot(async (tx) => {
      if ((await readRevision(tx, buildingId)) !== revision) return undefined
      return new ExternalIdIndex(await readExternalIds(tx, buildingId))
    })
  }

  function refresh(buildingId: string): Promise<KnownPoints | undefined> {
    const reading = read(buildingId)
    known.set(buildingId, reading)
    reading.then(
      (found) => found ?? known.delete(buildingId),
      () => known.delete(buildingId),
    )
    return reading
  }

  return {
    get: (buildingId: string) => known.get(buildingId) ?? refresh(buildingId),
    /**
     * The points at a newer revision, or at the same one if the graph has not changed. They are read, unless another
     * caller has already read or requested them.
     */
    async after(buildingId: string, revision: number): Promise<KnownPoints | undefined> {
      const asked = known.get(buildingId)
      const present = await asked
      if (present !== undefined && present.revision !== revision) return present
      if (present !== undefined && (await readRevision(db, buildingId)) === revision) return present
      const other = known.get(buildingId)
      return other !== undefined && other !== asked ? other : refresh(buildingId)
    },
  }
}

/** Shares one read among all callers. After a failed read, the next caller reads again. */
function onceRead<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined
  return () => {
    reading ??= read().catch((err) => {
      reading = undefined
      throw err
    })
    return reading
  }
}
