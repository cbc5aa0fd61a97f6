import type { PointNode } from '@storey/sdk'
import type { BuildingModel } from '../building/model.ts'

/** What is measured in several rooms under one name, such as the zone temperature. */
export interface Signal {
  /** As it stands in the address. */
  id: string
  name: string
  quantityKind: string
  unit: string
  isState: boolean
  pointsBySpace: ReadonlyMap<string, readonly PointNode[]>
}

const MEASURED = new Set(['SENSOR', 'STATUS', 'ALARM'])
/** A list that is still looked through. */
const MOST = 14

/** The signals of a building, those of most rooms first. */
export function signalsOf(model: BuildingModel): Signal[] {
  const measured = model.points.filter(({ id, pointType }) => MEASURED.has(pointType) && model.spaceOf(id))
  const groups = Map.groupBy(measured, ({ name, quantityKind, unit }) => JSON.stringify([name, quantityKind, unit]))
  return Array.from(groups.values(), (points) => signalOf(model, points))
    .sort((a, b) => b.pointsBySpace.size - a.pointsBySpace.size || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
}

function signalOf(model: BuildingModel, points: readonly PointNode[]): Signal {
  const { name, quantityKind, unit } = points[0]!
  return {
    id: `${name}~${unit}`,
    name,
    quantityKind,
    unit,
    isState: quantityKind === 'Dimensionless',
    pointsBySpace: Map.groupBy(points, ({ id }) => model.spaceOf(id)!.id),
  }
}
