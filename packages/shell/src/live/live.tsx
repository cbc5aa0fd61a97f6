import {
  type ChangeFeed,
  connectChanges,
  connectLive,
  type LiveConnection,
  type LiveEvents,
  type LiveMeta,
  type LiveStatus,
} from '@storey/sdk'
import { ChangesProvider } from '@storey/web'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useShell } from '../app/shell.ts'
import { firstPlan } from '../building/storey-preview.ts'
import { type ArrivalTimes, type ArrivalTimesStore, createArrivalTimes } from './data-flow.ts'
import { useNow } from './now.ts'
import { type LatestValues, useLatestValues } from './use-latest-values.ts'
import { createValueStore, onFrame, type Reading, type ValueStore } from './value-store.ts'

interface Live {
  connection: LiveConnection | undefined
  values: ValueStore
  arrivalTimes: ArrivalTimesStore
  latest: LatestValues
}

const LiveContext = createContext<Live | undefined>(undefined)

/** One live connection, one store of latest values and one feed of changes for all pages. */
export function LiveProvider({ children }: { children: ReactNode }): ReactNode {
  const { api, config, session, buildingId } = useShell()
  const [stores] = useState(() => ({ values: createValueStore(onFrame), arrivalTimes: createArrivalTimes() }))
  const [connection, setConnection] = useState<LiveConnection>()
  const [feed, setFeed] = useState<ChangeFeed>()
  const { isComplete, error, reload } = useLatestValues(connection, stores)

  useEffect(() => {
    const { values, arrivalTimes } = stores
    const abort = new AbortController()
    const { signal } = abort
    const start = () => {
      const options = { url: config.apiUrl, credential: session.credential, buildingId, signal }
      const opened = connectLive(options)
      // The feed uses the same WebSocket as `opened`. While the WebSocket is not connected, pages poll.
      setFeed(connectChanges(options))
      // The status indicator shows a failed connection.
      opened.ready.catch(() => {})
      opened.on('building.point.updated', ({ observations }) => {
        for (const { pointId, value, timestamp, source } of observations) values.set(pointId, value, timestamp, source)
        arrivalTimes.noteArrived(observations)
      })
      setConnection(opened)
    }
    void firstPlan(api).drawn.then(() => (signal.aborted ? undefined : start()))
    return () => abort.abort()
  }, [api, config, session, buildingId, stores])

  const live = useMemo(
    () => ({ connection, ...stores, latest: { isComplete, error, reload } }),
    [connection, stores, isComplete, error, reload],
  )
  return (
    <LiveContext value={live}>
      <ChangesProvider feed={feed}>{children}</ChangesProvider>
    </LiveContext>
  )
}

function useLiveContext(): Live {
  const live = useContext(LiveContext)
  if (!live) throw new Error('Live values and events must be used inside LiveProvider')
  return live
}

/**
 * The connection; undefined until it is opened. On the page of the plan it is opened after the plan is drawn, or after
 * a time limit (`firstPlan`).
 */
export const useLive = (): LiveConnection | undefined => useLiveContext().connection

/** The latest values of all points. A component that uses this store is not rendered again when values change. */
export const useValueStore = (): ValueStore => useLiveContext().values
/** Why the latest values could not be read, and a function that reads them again. */
export const useValuesFailure = (): Pick<LatestValues, 'error' | 'reload'> => useLiveContext().latest
/** False while the store may lack values of some points: figures of the whole building would then be wrong. */
export const useValuesComplete = (): boolean => useLiveContext().latest.isComplete

export function useLiveStatus(): LiveStatus {
  const live = useLive()
  const subscribe = useCallback((listener: () => void) => live?.onStatus(listener) ?? (() => {}), [live])
  return useSyncExternalStore(subscribe, () => live?.status ?? 'connecting')
}

/** When the last values arrived. The component is rendered again when data begins to flow, and every few seconds. */
export function useArrivalTimes(): ArrivalTimes {
  const { arrivalTimes } = useLiveContext()
  const [, render] = useReducer((count: number) => count + 1, 0)
  useEffect(() => arrivalTimes.subscribe(render), [arrivalTimes])
  useNow()
  return arrivalTimes.get()
}

/** The latest value of a point. */
export function useReading(pointId: string): Reading | undefined {
  const values = useValueStore()
  const subscribe = useCallback((listener: () => void) => values.watch(pointId, listener), [values, pointId])
  return useSyncExternalStore(subscribe, () => values.get(pointId))
}

/** Calls `handler` for each event of a kind while the component is mounted. */
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
