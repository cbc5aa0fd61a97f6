import { type Graph, StoreyError } from '@storey/sdk'
import { ErrorPanel, LoadingState, useWords } from '@storey/web'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { NotYours } from '../app/not-yours.tsx'
import { useShell } from '../app/shell.ts'
import { shellWords } from '../app/words.ts'
import { useLiveEvent } from '../live/live.tsx'
import { type BuildingModel, modelOf } from './model.ts'
import { keepingSame } from './same-nodes.ts'

export interface BuildingData extends BuildingModel {
  /** After a change of one's own: reads the graph anew, and is done when it is there. */
  reload(): Promise<void>
}

const BuildingContext = createContext<BuildingData | undefined>(undefined)

/** The building, whole: storeys, spaces, elements and points, read once and kept as they change. */
export function useBuildingData(): BuildingData {
  const data = useContext(BuildingContext)
  if (!data) throw new Error('there is no building outside of BuildingProvider')
  return data
}

/**
 * Nothing tells the outside of a change of the graph, so a page that is looked at asks for its revision: one small
 * request, twelve a minute of the hundred that a caller has.
 */
const ASK_MS = 5_000

export function BuildingProvider({ children }: { children: ReactNode }): ReactNode {
  const { api } = useShell()
  const t = useWords(shellWords)
  const [model, setModel] = useState<BuildingModel>()
  const [error, setError] = useState<unknown>()
  const [reload, setReload] = useState(() => async () => {})
  const known = useRef<{ graph: Graph; model: BuildingModel }>(undefined)

  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    let reading: Promise<void> | undefined
    let isRefused = false
    const read = async () => {
      try {
        const [building, graph] = await Promise.all([api.get({ signal }), api.graph({}, { signal })])
        if (signal.aborted) return
        const before = known.current
        const next = keepingSame(before?.graph, graph)
        known.current = { graph: next, model: modelOf(building, next, before?.model) }
        setModel(known.current.model)
        setError(undefined)
      } catch (failure) {
        isRefused = isRefusal(failure)
        if (!signal.aborted) setError(failure)
      }
    }
    const readOnce = () => {
      reading ??= read().finally(() => {
        reading = undefined
      })
      return reading
    }
    let isLooking = false
    const look = async () => {
      if (document.hidden || reading || isLooking) return
      isLooking = true
      const building = await api.get({ signal }).catch(() => undefined)
      isLooking = false
      if (building && building.revision !== known.current?.graph.revision) await readOnce()
    }
    setReload(() => async () => {
      // One that began before the change may not have seen it.
      await reading
      await readOnce()
    })
    void readOnce()
    const timer = setInterval(() => isRefused || look(), ASK_MS)
    document.addEventListener('visibilitychange', look)
    return () => {
      ending.abort()
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [api])

  const [data, setData] = useState<BuildingData>()
  useEffect(() => {
    if (model) setData({ ...model, reload })
  }, [model, reload])

  if (data) {
    return (
      <BuildingContext value={data}>
        <NewPoints />
        {children}
      </BuildingContext>
    )
  }
  if (isRefusal(error)) return <NotYours />
  return (
    <main className="st-alone">
      {error === undefined ? (
        <LoadingState text={t('readingBuilding')} />
      ) : (
        <ErrorPanel error={error} onRetry={() => void reload()} />
      )}
    </main>
  )
}

const isRefusal = (error: unknown): boolean => error instanceof StoreyError && error.status === 403

/** A value of a point that is not known yet: somebody added it. */
function NewPoints(): null {
  const data = useBuildingData()
  const askedFor = useRef(new Set<string>())
  useLiveEvent('building.point.updated', ({ observations }) => {
    for (const { pointId } of observations) {
      if (data.point(pointId) || askedFor.current.has(pointId)) continue
      askedFor.current.add(pointId)
      void data.reload()
    }
  })
  return null
}
