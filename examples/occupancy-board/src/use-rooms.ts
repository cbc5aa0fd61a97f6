import { type Loaded, usePlatform } from '@storey/sdk/module'
import { useCallback, useEffect, useState } from 'react'
import { type Rooms, roomsOf } from './rooms.ts'

export interface BoardData extends Rooms {
  /** English names of space types, by slug. */
  typeNames: ReadonlyMap<string, string>
  /** When the building last sent anything. */
  lastDataAt: number
}

const LOADING = { data: undefined, error: undefined, loading: true }

/** The rooms, the names of their types and the time of the last data: three requests, however large the building is. */
export function useRooms(): Loaded<BoardData> & { reload(): void } {
  const { client, buildingId } = usePlatform()
  const [state, setState] = useState<Loaded<BoardData>>(LOADING)
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` triggers another attempt
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    const show = (next: Partial<Loaded<BoardData>>) =>
      signal.aborted || setState({ ...LOADING, loading: false, ...next })
    setState(LOADING)
    const building = client.building(buildingId)
    Promise.all([
      building.graph({}, { signal }),
      client.catalogs.spaceTypes({ limit: 200 }, { signal }),
      building.telemetry.latest({ signal }),
    ]).then(
      ([graph, types, latest]) => {
        const typeNames = new Map(types.data.map(({ slug, name }) => [slug, name]))
        const lastDataAt = latest.data.reduce((last, { timestamp }) => Math.max(last, Date.parse(timestamp)), 0)
        show({ data: { ...roomsOf(graph), typeNames, lastDataAt } })
      },
      (error: Error) => show({ error }),
    )
    return () => ending.abort()
  }, [client, buildingId, round])
  const reload = useCallback(() => setRound((n) => n + 1), [])
  return { ...state, reload }
}
