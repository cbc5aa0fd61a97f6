import type { PointNode } from '@storey/sdk'
import type { BuildingModel } from '../building/model.ts'

export const MAX_POINTS = 6
/** A chart has a scale at each side. */
const MAX_UNITS = 2
const MAX_SUGGESTIONS = 3

export interface Comparable {
  /** Setpoints that are not in the chart yet, and have the place and the unit of the first point. */
  suggested: readonly PointNode[]
  /**
   * All points that can be added, also the suggested ones: those at the place of the first point, then those in other places that have the
   * quantity kind and the unit of the first point.
   */
  addable: readonly PointNode[]
}

/** The points that can be added to a chart. */
export function comparableWith(model: BuildingModel, points: readonly PointNode[]): Comparable {
  const [first] = points
  if (!first || points.length >= MAX_POINTS) return { suggested: [], addable: [] }
  const chosen = new Set(points.map(({ id }) => id))
  const units = new Set(points.map(({ unit }) => unit))
  const fits = (point: PointNode) => !chosen.has(point.id) && (units.size < MAX_UNITS || units.has(point.unit))
  const space = model.spaceOf(first.id)
  const here = (space ? model.pointsIn(space.id) : model.pointsOf(first.elementId)).filter(fits)
  const known = new Set(here)
  const isSame = ({ quantityKind, unit }: PointNode) => quantityKind === first.quantityKind && unit === first.unit
  const elsewhere = model.points.filter((point) => isSame(point) && fits(point) && !known.has(point))
  // Points with the name of the first point come first, for example other room temperatures before a pipe temperature.
  const byName = (a: PointNode, b: PointNode) => Number(b.name === first.name) - Number(a.name === first.name)
  return {
    suggested: here
      .filter((point) => point.pointType === 'SETPOINT' && point.unit === first.unit)
      .slice(0, MAX_SUGGESTIONS),
    addable: [...here, ...elsewhere.sort(byName)],
  }
}

/**
 * Names that distinguish the points. If the points are in several places, each name ends with the room of the point, or
 * with its equipment if the equipment is in no room. If they are in one place, and two of them have the same name, each
 * name ends with the equipment.
 */
export function namesOf(model: BuildingModel, points: readonly PointNode[]): string[] {
  const placeOf = ({ id, elementId }: PointNode) => model.spaceOf(id) ?? model.element(elementId)
  const isOnePlace = new Set(points.map((point) => placeOf(point)?.id)).size <= 1
  const hasOwnName = new Set(points.map(({ name }) => name)).size === points.length
  return points.map((point) => {
    if (isOnePlace && hasOwnName) return point.name
    const place = isOnePlace ? model.element(point.elementId) : placeOf(point)
    return place ? `${point.name} · ${place.name}` : point.name
  })
}
