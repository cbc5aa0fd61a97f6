import { type BuildingRecord, type Graph, StoreyError } from '@storey/sdk'
import { ErrorPanel, useChanges, useLocale } from '@storey/web'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { AccessDenied } from '../app/access-denied.tsx'
import { useShell } from '../app/shell.ts'
import { useLiveEvent } from '../live/live.tsx'
import { type BuildingModel, modelOf } from './model.ts'
import { withNodeNames } from './node-names.ts'
import { reuseNodes } from './reuse-nodes.ts'
import { firstPlan } from './storey-preview.ts'

export interface BuildingData extends BuildingModel {
  /** Reads the graph again after a change by the user. Resolves when the read has ended, even if it failed. */
  reload(): Promise<void>
}

const BuildingContext = createContext<BuildingData | undefined>(undefined)

/** The whole building: storeys, spaces, elements and points. */
export function useBuildingData(): BuildingData {
  const data = useContext(BuildingContext)
  if (!data) throw new Error('useBuildingData must be used inside BuildingProvider, when the building is loaded')
  return data
}

/** Whether `useBuildingData` may be used. */
export const useIsBuildingLoaded = (): boolean => useContext(BuildingContext) !== undefined

/**
 * While the live channel cannot report changes, or after a failure, a visible page polls the revision. This takes 12
 * of the 100 requests per minute that a caller may send by default.
 */
const POLL_MS = 5_000

/** Renders its children even while the graph is loading: see `useIsBuildingLoaded`. */
export function BuildingProvider({ children }: { children: ReactNode }): ReactNode {
  const { api } = useShell()
  const locale = useLocale()
  const [loaded, setLoaded] = useState<{ building: BuildingRecord; graph: Graph }>()
  const [error, setError] = useState<unknown>()
  const [reload, setReload] = useState(() => async () => {})
  const known = useRef<Graph>(undefined)
  const { isLive, subscribe } = useChanges()
  const isReported = useRef(isLive)
  useEffect(() => {
    isReported.current = isLive
  }, [isLive])

  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    let reading: Promise<void> | undefined
    let isDenied = false
    let hasFailed = false
    const read = async () => {
      try {
        const [building, graph] = await Promise.all([api.get({ signal }), api.graph({}, { signal })])
        if (signal.aborted) return
        known.current = reuseNodes(known.current, graph)
        setLoaded({ building, graph: known.current })
        setError(undefined)
        isDenied = false
        hasFailed = false
      } catch (failure) {
        isDenied = isAccessDenied(failure)
        hasFailed = true
        if (!signal.aborted) setError(failure)
      }
    }
    const readOnce = () => {
      reading ??= read().finally(() => {
        reading = undefined
      })
      return reading
    }
    let checking: Promise<void> | undefined
    const check = async () => {
      const building = await api.get({ signal }).catch(() => undefined)
      hasFailed = building === undefined
      if (building && building.revision !== known.current?.revision) await readOnce()
    }
    const checkRevision = async () => {
      if (document.hidden || reading || checking) return
      checking = check().finally(() => {
        checking = undefined
      })
      await checking
    }
    const onChanged = async (revision: number | undefined) => {
      // The response to a request that started before the change can lack the change.
      await reading
      await checking
      if (revision === undefined || revision !== known.current?.revision) await checkRevision()
    }
    setReload(() => async () => {
      // The result of a read that started before the change can lack the change.
      await reading
      await readOnce()
    })
    void firstPlan(api).drawn.then(() => (signal.aborted ? undefined : readOnce()))
    const poll = () => {
      if (!isDenied && (hasFailed || !isReported.current)) void checkRevision()
    }
    const timer = setInterval(poll, POLL_MS)
    const unsubscribe = subscribe('graph', ({ revision }) => void onChanged(revision))
    document.addEventListener('visibilitychange', checkRevision)
    return () => {
      abort.abort()
      clearInterval(timer)
      unsubscribe()
      document.removeEventListener('visibilitychange', checkRevision)
    }
  }, [api, subscribe])

  const [model, setModel] = useState<BuildingModel>()
  useEffect(() => {
    if (!loaded) return
    setModel((before) => modelOf(loaded.building, withNodeNames(loaded.graph, locale), before))
  }, [loaded, locale])
  const [data, setData] = useState<BuildingData>()
  useEffect(() => {
    if (model) setData({ ...model, reload })
  }, [model, reload])

  if (data === undefined && error !== undefined) {
    if (isAccessDenied(error)) return <AccessDenied />
    return (
      <main className="st-standalone">
        <ErrorPanel error={error} onRetry={() => void reload()} />
      </main>
    )
  }
  return (
    <BuildingContext value={data}>
      {data ? <ReloadOnNewPoint /> : null}
      {children}
    </BuildingContext>
  )
}

/** The 403 of a suspended sandbox is not a denial: calls succeed again when the sandbox is resumed. */
const isAccessDenied = (error: unknown): boolean =>
  error instanceof StoreyError && error.status === 403 && error.code !== 'SANDBOX_SUSPENDED'

/** Reloads the building when a value arrives for a point that somebody has added. */
function ReloadOnNewPoint(): null {
  const data = useBuildingData()
  const requested = useRef(new Set<string>())
  useLiveEvent('building.point.updated', ({ observations }) => {
    for (const { pointId } of observations) {
      if (data.point(pointId) || requested.current.has(pointId)) continue
      requested.current.add(pointId)
      void data.reload()
    }
  })
  return null
}
