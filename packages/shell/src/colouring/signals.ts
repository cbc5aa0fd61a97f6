import type { PointNode } from '@storey/sdk'
import { storedName } from '@storey/web'
import type { BuildingModel } from '../building/model.ts'

/** Points with the same name, quantity kind and unit, such as the zone temperatures of all rooms. */
export interface Signal {
  /** Used in the URL, and the same in every language. */
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
  const signals = Array.from(groups.values(), (points) => signalOf(model, points))
    .sort(
      (a, b) =>
        b.pointsBySpace.size - a.pointsBySpace.size ||
        compare(a.name, b.name) ||
        compare(a.quantityKind, b.quantityKind),
    )
    .slice(0, MAX_SIGNALS)
  return withUniqueIds(signals)
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** If signals differ only in the quantity kind, the first of them keeps the short id, so that old links stay valid. */
function withUniqueIds(signals: readonly Signal[]): Signal[] {
  const known = new Set<string>()
  return signals.map((signal) => {
    if (known.has(signal.id)) return { ...signal, id: `${signal.id}.${signal.quantityKind}` }
    known.add(signal.id)
    return signal
  })
}

/** The signal that a point belongs to. */
export const findSignal = (signals: readonly Signal[], point: PointNode): Signal | undefined =>
  signals.find(
    ({ name, quantityKind, unit }) => name === point.name && quantityKind === point.quantityKind && unit === point.unit,
  )

const signalOf = (model: BuildingModel, points: readonly PointNode[]): Signal =>
  signalOfPoints(points, ({ id }) => model.spaceOf(id)!.id)

/**
 * The points as one signal. `placeOf` returns the id by which a point is grouped: the id of its room, or of the point
 * itself.
 */
export function signalOfPoints(points: readonly PointNode[], placeOf: (point: PointNode) => string): Signal {
  const { name, quantityKind, unit } = points[0]!
  return {
    id: `${storedName(points[0]!)}~${unit}`,
    name,
    quantityKind,
    unit,
    isState: quantityKind === 'Dimensionless',
    pointsBySpace: Map.groupBy(points, placeOf),
  }
}
