import type { BuildingModel } from '../building/model.ts'
import { numberOf } from '../live/format-value.ts'
import type { ValueStore } from '../live/value-store.ts'

export interface PeopleNow {
  people: number
  /** The rooms with somebody in them, and all rooms that are counted. */
  occupied: number
  counted: number
  /** The storey with the most people. */
  fullestStoreyId: string | undefined
}

type Source = Pick<BuildingModel, 'elements' | 'pointsOf' | 'spaceOf' | 'storeyOf'>

/** The counts of the people counters. Undefined if the building has none, or none has reported. */
export function peopleIn(model: Source, values: Pick<ValueStore, 'get'>): PeopleNow | undefined {
  const rooms = new Map<string, number>()
  const storeys = new Map<string, number>()
  for (const { id, elementTypeSlug } of model.elements) {
    if (elementTypeSlug !== 'people-counter') continue
    const counter = model.pointsOf(id).find(({ pointType, quantityKind }) => {
      return pointType === 'SENSOR' && quantityKind === 'Count'
    })
    const count = numberOf((counter && values.get(counter.id)?.value) ?? '')
    if (!Number.isFinite(count)) continue
    const roomId = model.spaceOf(id)?.id ?? id
    rooms.set(roomId, (rooms.get(roomId) ?? 0) + count)
    const storeyId = model.storeyOf(id)?.id
    if (storeyId !== undefined) storeys.set(storeyId, (storeys.get(storeyId) ?? 0) + count)
  }
  if (rooms.size === 0) return undefined
  const counts = [...rooms.values()]
  return {
    people: counts.reduce((sum, count) => sum + count, 0),
    occupied: counts.filter((count) => count > 0).length,
    counted: counts.length,
    fullestStoreyId: [...storeys].sort(([, a], [, b]) => b - a)[0]?.[0],
  }
}
