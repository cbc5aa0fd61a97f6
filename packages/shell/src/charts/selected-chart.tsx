import type { PointNode } from '@storey/sdk'
import { setQuery, useRoute } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useFaultCounts, useFaultIndex } from '../fault-marks/use-fault-index.ts'
import { PointChart } from './point-chart.tsx'

/**
 * The chart of one of several points: the one in the `point` parameter of the URL, else the one with the most urgent
 * fault, else the first sensor whose quantity kind is not `Dimensionless`, else the first point.
 */
export function SelectedChart({ points }: { points: readonly PointNode[] }): ReactNode {
  const { query } = useRoute()
  const requested = points.find(({ id }) => id === query.get('point'))
  const faulty = useFaultyAtFirst(points)
  const selected = requested ?? faulty ?? points.find(isChartable) ?? points[0]
  if (!selected) return null
  return <PointChart point={selected} others={points} onChoose={(id) => setQuery({ point: id, with: null })} />
}

/** The point with the most urgent fault when the faults are loaded. A later fault does not change the chart. */
function useFaultyAtFirst(points: readonly PointNode[]): PointNode | undefined {
  const isLoaded = useFaultCounts() !== undefined
  const { all } = useFaultIndex()
  const [first, setFirst] = useState<string | null>()
  const isIn = (pointId: string | null) => points.some(({ id }) => id === pointId)
  const found = first === undefined && isLoaded ? (all.find(({ pointId }) => isIn(pointId))?.pointId ?? null) : first
  if (found !== first) setFirst(found)
  return points.find(({ id }) => id === found)
}

const isChartable = ({ pointType, quantityKind }: PointNode) =>
  pointType === 'SENSOR' && quantityKind !== 'Dimensionless'
