import type { PointNode } from '@storey/sdk'
import { setQuery, useRoute } from '@storey/web'
import type { ReactNode } from 'react'
import { PointChart } from './point-chart.tsx'

/** The chart of one of several points; which one stands in the address. */
export function ChosenChart({ points }: { points: readonly PointNode[] }): ReactNode {
  const { query } = useRoute()
  const asked = points.find(({ id }) => id === query.get('point'))
  const chosen = asked ?? points.find(isWorthAChart) ?? points[0]
  if (!chosen) return null
  return <PointChart point={chosen} others={points} onChoose={(id) => setQuery({ point: id })} />
}

const isWorthAChart = ({ pointType, quantityKind }: PointNode) =>
  pointType === 'SENSOR' && quantityKind !== 'Dimensionless'
