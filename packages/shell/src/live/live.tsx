import { connectLive, type LiveConnection, type LiveEvents, type LiveMeta, type LiveStatus } from '@storey/sdk'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useShell } from '../app/shell.ts'
import { createValueStore, onFrame, type Reading, type ValueStore } from './value-store.ts'

interface Live {
  connection: LiveConnection | undefined
  values: ValueStore
  /** Why there are no last values. */
  error: unknown
}

const LiveContext = createContext<Live | undefined>(undefined)

/** Follows the building as long as it is shown: one connection and one store of last values for all pages. */
export function LiveProvider({ children }: { children: ReactNode }): ReactNode {
  const { api, config, session, buildingId } = useShell()
  const [values] = useState(() => createValueStore(onFrame))
  const [live, setLive] = useState<Live>({ connection: undefined, values, error: undefined })

  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    const connection = connectLive({ url: config.apiUrl, credential: session.credential, buildingId, signal })
    // The indicator tells how it stands.
    connection.ready.catch(() => {})
    const refill = async () => {
      try {
        const { data } = await api.telemetry.latest({ signal })
        for (const { pointId, value, timestamp, source } of data) values.take(pointId, value, timestamp, source)
        if (!signal.aborted) setLive({ connection, values, error: undefined })
      } catch (error) {
        if (!signal.aborted) setLive({ connection, values, error })
      }
    }
    // Listening begins before the first read, so that nothing falls between.
    connection.on('building.point.updated', ({ observations }) => {
      for (const { pointId, value, timestamp, source } of observations) values.take(pointId, value, timestamp, source)
    })
    connection.onSnapshotRequired(refill)
    setLive({ connection, values, error: undefined })
    void refill()
    return () => ending.abort()
  }, [api, config, session, buildingId, values])

  return <LiveContext value={live}>{children}</LiveContext>
}

function useLiveContext(): Live {
  const live = useContext(LiveContext)
  if (!live) throw new Error('there is no live channel outside of LiveProvider')
  return live
}

/** The connection itself; undefined for the first moment. */
export const useLive = (): LiveConnection | undefined => useLiveContext().connection

/** The last values of all points, to be watched without drawing anything anew. */
export const useValueStore = (): ValueStore => useLiveContext().values
export const useValuesError = (): unknown => useLiveContext().error

export function useLiveStatus(): LiveStatus {
  const live = useLive()
  const subscribe = useCallback((tell: () => void) => live?.onStatus(tell) ?? (() => {}), [live])
  return useSyncExternalStore(subscribe, () => live?.status ?? 'connecting')
}

/** The last value of one point, as it changes. */
export function useReading(pointId: string): Reading | undefined {
  const values = useValueStore()
  const subscribe = useCallback((tell: () => void) => values.watch(pointId, tell), [values, pointId])
  return useSyncExternalStore(subscribe, () => values.get(pointId))
}

/** Calls `handler` for each event of a kind while the component is there. */
export function useLiveEvent<K extends keyof LiveEvents>(
  kind: K,
  handler: (event: LiveEvents[K], meta: LiveMeta) => void,
): void {
  const live = useLive()
  const latest = useRef(handler)
  useEffect(() => {
    latest.current = handler
  })
  useEffect(() => live?.on(kind, (event, meta) => latest.current(event, meta)), [live, kind])
}
