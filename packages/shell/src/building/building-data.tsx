import { StoreyError } from '@storey/sdk'
import { ErrorPanel, LoadingState, useWords } from '@storey/web'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { NotYours } from '../app/not-yours.tsx'
import { useShell } from '../app/shell.ts'
import { shellWords } from '../app/words.ts'
import { useLiveEvent } from '../live/live.tsx'
import { type BuildingModel, modelOf } from './model.ts'

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

/** Nothing tells the outside of a change of the graph, so a page that is looked at asks for its revision. */
const ASK_MS = 60_000

export function BuildingProvider({ children }: { children: ReactNode }): ReactNode {
  const { api } = useShell()
  const t = useWords(shellWords)
  const [model, setModel] = useState<BuildingModel>()
  const [error, setError] = useState<unknown>()
  const [reload, setReload] = useState(() => async () => {})
  const revision = useRef(-1)

  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    let reading: Promise<void> | undefined
    const read = async () => {
      try {
        const [building, graph] = await Promise.all([api.get({ signal }), api.graph({}, { signal })])
        revision.current = graph.revision
        setModel(modelOf(building, graph))
        setError(undefined)
      } catch (failure) {
        if (!signal.aborted) setError(failure)
      }
    }
    const readOnce = () => {
      reading ??= read().finally(() => {
        reading = undefined
      })
      return reading
    }
    const look = async () => {
      if (document.hidden || reading) return
      const known = await api.get({ signal }).catch(() => undefined)
      if (known && known.revision !== revision.current) await readOnce()
    }
    setReload(() => async () => {
      // One that began before the change may not have seen it.
      await reading
      await readOnce()
    })
    void readOnce()
    const timer = setInterval(look, ASK_MS)
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
  if (error instanceof StoreyError && error.status === 403) return <NotYours />
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
