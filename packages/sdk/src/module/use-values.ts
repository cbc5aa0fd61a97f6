import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { usePlatform } from './context.ts'
import { onFrame } from './frames.ts'
import type { Loaded } from './use-building.ts'
import { liveSource, readOnce } from './value-source.ts'
import { createValueStore, type PointValues } from './value-store.ts'

/**
 * The last value of each of these points, read once.
 *
 * @stable
 */
export const useLastValues = (pointIds: readonly string[]): Loaded<PointValues> => useValues(pointIds, false)

/**
 * The last value of each of these points, updated with each new value; if the shell has no live channel, the values are
 * read once. The component renders at most once per frame.
 *
 * @stable
 */
export const useLiveValues = (pointIds: readonly string[]): Loaded<PointValues> => useValues(pointIds, true)

function useValues(pointIds: readonly string[], isLive: boolean): Loaded<PointValues> {
  const { client, buildingId, live } = usePlatform()
  // A caller can pass a new array with the same content on each render, so the content is compared.
  const key = JSON.stringify(pointIds)
  const store = useMemo(() => {
    const read = async (signal: AbortSignal) => (await client.building(buildingId).telemetry.latest({ signal })).data
    const source = isLive && live ? liveSource(live, read) : readOnce(read)
    return createValueStore({ pointIds: JSON.parse(key) as string[], source, onFrame })
  }, [client, buildingId, live, isLive, key])
  useEffect(() => store.start(), [store])
  const data = useSyncExternalStore(store.watch, store.shown, store.shown)
  const [loaded, error] = [store.isLoaded(), store.error()]
  return { data: loaded ? data : undefined, error, loading: !loaded && error === undefined }
}
