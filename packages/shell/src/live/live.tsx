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
  useReducer,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useShell } from '../app/shell.ts'
import { firstPlan } from '../building/storey-preview.ts'
import { type ArrivalTimes, type ArrivalTimesStore, createArrivalTimes } from './data-flow.ts'
import { useNow } from './now.ts'
import { createValueStore, onFrame, type Reading, type ValueStore } from './value-store.ts'

interface Live {
  connection: LiveConnection | undefined
  values: ValueStore
  arrivalTimes: ArrivalTimesStore
  /** Whether the latest values of all points have been read. Before that, the store has only values received live. */
  isComplete: boolean
  /** Why the latest values could not be loaded. */
  error: unknown
}

const LiveContext = createContext<Live | undefined>(undefined)

/** One live connection, one store of latest values and one feed of changes for all pages. */
export function LiveProvider({ children }: { children: ReactNode }): ReactNode {
  const { api, config, session, buildingId } = useShell()
  const [values] = useState(() => createValueStore(onFrame))
  const [arrivalTimes] = useState(() => createArrivalTimes())
  const [live, setLive] = useState<Live>({
    ...{ connection: undefined, values, arrivalTimes, isComplete: false, error: undefined },
  })
  const [feed, setFeed] = useState<ChangeFeed>()

  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    const start = () => {
      const options = { url: config.apiUrl, credential: session.credential, buildingId, signal }
      const connection = connectLive(options)
      // The feed uses the same WebSocket as `connection`. While the WebSocket is not connected, pages poll.
      setFeed(connectChanges(options))
      // The status indicator shows a failed connection.
      connection.ready.catch(() => {})
      const loadLatest = async () => {
        try {
          const { data } = await api.telemetry.latest({ signal })
          let newest = Number.NEGATIVE_INFINITY
          for (const { pointId, value, timestamp, source } of data) {
            values.set(pointId, value, timestamp, source)
            newest = Math.max(newest, Date.parse(timestamp))
          }
          if (data.length > 0) arrivalTimes.noteRead(newest)
          if (!signal.aborted) setLive({ connection, values, arrivalTimes, isComplete: true, error: undefined })
        } catch (error) {
          if (!signal.aborted) setLive(({ isComplete }) => ({ connection, values, arrivalTimes, isComplete, error }))
        }
      }
      // Subscribes before the first read, so that no value is missed.
      connection.on('building.point.updated', ({ observations }) => {
        for (const { pointId, value, timestamp, source } of observations) values.set(pointId, value, timestamp, source)
        arrivalTimes.noteArrived(observations)
      })
      connection.onSnapshotRequired(loadLatest)
      setLive({ connection, values, arrivalTimes, isComplete: false, error: undefined })
      void loadLatest()
    }
    void firstPlan(api).drawn.then(() => (signal.aborted ? undefined : start()))
    return () => abort.abort()
  }, [api, config, session, buildingId, values, arrivalTimes])

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
export const useValuesError = (): unknown => useLiveContext().error
/** False while the store may lack values of some points: figures of the whole building would then be wrong. */
export const useValuesComplete = (): boolean => useLiveContext().isComplete

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
