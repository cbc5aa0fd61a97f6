import type { PointNode } from '@storey/sdk'
import { setQuery, useRoute } from '@storey/web'
import { useMemo } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { MAX_POINTS } from './comparable.ts'

export interface ChartPointChoice {
  /** The point of the chart, then the points that it is compared with. */
  points: readonly PointNode[]
  add(pointId: string): void
  remove(pointId: string): void
}

/** The points of a chart: the given point, and those in the parameter `with` of the address. */
export function useChartPoints(point: PointNode): ChartPointChoice {
  const model = useBuildingData()
  const { query } = useRoute()
  const listed = query.get('with') ?? ''
  const points = useMemo(() => {
    const ids = new Set(listed.split(',').filter((id) => id !== point.id))
    const others = Array.from(ids, (id) => model.point(id)).filter((one) => one !== undefined)
    return [point, ...others].slice(0, MAX_POINTS)
  }, [model, point, listed])
  const ids = points.slice(1).map(({ id }) => id)
  const write = (next: readonly string[]) => setQuery({ with: next.length === 0 ? null : next.join() })
  return {
    points,
    add: (id) => write([...ids, id]),
    remove: (id) => write(ids.filter((one) => one !== id)),
  }
}
