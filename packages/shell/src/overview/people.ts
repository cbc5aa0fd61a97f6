import type { ElementNode, PointNode } from '@storey/sdk'
import type { BuildingModel } from '../building/model.ts'
import { numberOf } from '../live/format-value.ts'
import type { ValueStore } from '../live/value-store.ts'

export interface PeopleNow {
  /** The sum of all people counters; undefined if too few rooms have a counter. */
  people: number | undefined
  /** The number of rooms with somebody in them. */
  occupied: number
  /** The number of rooms whose counter or presence sensor has reported. */
  sensed: number
  /** The storey with the most counted people; if nobody is counted, the storey with the most occupied rooms. */
  fullestStoreyId: string | undefined
}

type Source = Pick<BuildingModel, 'elements' | 'pointsOf' | 'spaceOf' | 'storeyOf'>

/**
 * What people counters and presence sensors report; undefined if none has reported. A sensor that is in no room counts
 * as a room.
 */
export function peopleIn(model: Source, values: Pick<ValueStore, 'get'>): PeopleNow | undefined {
  const rooms = new Map<string, boolean>()
  const countedRooms = new Set<string>()
  const perStorey = new Map<string, number>()
  let people = 0
  for (const element of model.elements) {
    const point = sensorOf(element, model.pointsOf)
    const count = numberOf((point && values.get(point.id)?.value) ?? '')
    if (!point || !Number.isFinite(count)) continue
    const roomId = model.spaceOf(element.id)?.id ?? element.id
    rooms.set(roomId, rooms.get(roomId) || count > 0)
    const storeyId = model.storeyOf(element.id)?.id
    const weight = point.quantityKind === 'Count' ? count : count > 0 ? MIN_WEIGHT : 0
    if (storeyId !== undefined) perStorey.set(storeyId, (perStorey.get(storeyId) ?? 0) + weight)
    if (point.quantityKind === 'Count') {
      people += count
      countedRooms.add(roomId)
    }
  }
  if (rooms.size === 0) return undefined
  return {
    people: countedRooms.size >= rooms.size * MIN_COUNTED_SHARE && countedRooms.size > 0 ? people : undefined,
    occupied: [...rooms.values()].filter((isOccupied) => isOccupied).length,
    sensed: rooms.size,
    fullestStoreyId: [...perStorey].sort(([, a], [, b]) => b - a)[0]?.[0],
  }
}

/** If a smaller share of the rooms with sensors has a people counter, the sum of the counters would be misleading. */
const MIN_COUNTED_SHARE = 0.25
/** For the fullest storey, an occupied room without a people counter counts less than one counted person. */
const MIN_WEIGHT = 0.001

const SENSORS: Readonly<Record<string, string>> = { 'people-counter': 'Count', 'occupancy-sensor': 'Dimensionless' }

function sensorOf(
  { id, elementTypeSlug }: ElementNode,
  pointsOf: (elementId: string) => readonly PointNode[],
): PointNode | undefined {
  const quantityKind = SENSORS[elementTypeSlug]
  return quantityKind === undefined ? undefined : pointsOf(id).find((point) => point.quantityKind === quantityKind)
}
