import type { PointNode } from '@storey/sdk'
import { storedName } from '@storey/web'
import type { BuildingModel } from '../building/model.ts'

/** Points with the same name, quantity kind and unit, such as the zone temperatures of all rooms. */
export interface Signal {
  /** Used in the URL. */
  id: string
  name: string
  quantityKind: string
  unit: string
  isState: boolean
  pointsBySpace: ReadonlyMap<string, readonly PointNode[]>
}

const MEASURED = new Set(['SENSOR', 'STATUS', 'ALARM'])
const MAX_SIGNALS = 14

/** The signals of a building, those in the most rooms first; at most `MAX_SIGNALS`. */
export function signalsOf(model: BuildingModel): Signal[] {
  const measured = model.points.filter(({ id, pointType }) => MEASURED.has(pointType) && model.spaceOf(id))
  const groups = Map.groupBy(measured, ({ name, quantityKind, unit }) => JSON.stringify([name, quantityKind, unit]))
  return Array.from(groups.values(), (points) => signalOf(model, points))
    .sort((a, b) => b.pointsBySpace.size - a.pointsBySpace.size || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SIGNALS)
}

/** The id of the signal of a point. It is the same in every language. */
export const signalId = (point: PointNode): string => `${storedName(point)}~${point.unit}`

const signalOf = (model: BuildingModel, points: readonly PointNode[]): Signal =>
  signalOfPoints(points, ({ id }) => model.spaceOf(id)!.id)

/**
 * The points as one signal. `placeOf` returns the id by which a point is grouped: the id of its room, or of the point
 * itself.
 */
export function signalOfPoints(points: readonly PointNode[], placeOf: (point: PointNode) => string): Signal {
  const { name, quantityKind, unit } = points[0]!
  return {
    id: signalId(points[0]!),
    name,
    quantityKind,
    unit,
    isState: quantityKind === 'Dimensionless',
    pointsBySpace: Map.groupBy(points, placeOf),
  }
}
