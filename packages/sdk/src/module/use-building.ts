import { useEffect, useState } from 'react'
import type { BuildingRecord } from '../wire.ts'
import { usePlatform } from './context.ts'

/**
 * Data that is being loaded or was loaded, or the error of the last attempt to load it.
 *
 * @stable
 */
export interface Loaded<T> {
  data: T | undefined
  error: Error | undefined
  loading: boolean
}

const LOADING = { data: undefined, error: undefined, loading: true } as const

/**
 * The record of the current building.
 *
 * @stable
 */
export function useBuilding(): Loaded<BuildingRecord> {
  const { client, buildingId } = usePlatform()
  const [state, setState] = useState<Loaded<BuildingRecord>>(LOADING)
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    // An outdated response is ignored.
    const show = (next: Loaded<BuildingRecord>) => signal.aborted || setState(next)
    setState(LOADING)
    client
      .building(buildingId)
      .get({ signal })
      .then(
        (data) => show({ data, error: undefined, loading: false }),
        (error) => show({ data: undefined, error, loading: false }),
      )
    return () => ending.abort()
  }, [client, buildingId])
  return state
}
