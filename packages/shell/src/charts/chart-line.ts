import type { PointNode } from '@storey/sdk'
import type { Series } from './detail.ts'

/** A point that a chart shows, and the readings of the point. */
export interface ChartLine {
  point: PointNode
  /** A name that differs from those of the other points. */
  name: string
  series: Series
}
