import type { PointNode } from '@storey/sdk'
import { setQuery, useRoute } from '@storey/web'
import type { ReactNode } from 'react'
import { PointChart } from './point-chart.tsx'

/**
 * The chart of one of several points: the one in the `point` parameter of the URL, else the first sensor whose quantity
 * kind is not `Dimensionless`, else the first point.
 */
export function SelectedChart({ points }: { points: readonly PointNode[] }): ReactNode {
  const { query } = useRoute()
  const requested = points.find(({ id }) => id === query.get('point'))
  const selected = requested ?? points.find(isChartable) ?? points[0]
  if (!selected) return null
  return <PointChart point={selected} others={points} onChoose={(id) => setQuery({ point: id, with: null })} />
}

const isChartable = ({ pointType, quantityKind }: PointNode) =>
  pointType === 'SENSOR' && quantityKind !== 'Dimensionless'
