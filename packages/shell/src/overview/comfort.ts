import { kindOfRoom, type RoomKind } from '@storey/web'
import type { BuildingModel } from '../building/model.ts'
import { newestReading } from '../colouring/signal-colouring.ts'
import type { Signal } from '../colouring/signals.ts'
import { numberOf } from '../live/format-value.ts'
import type { ValueStore } from '../live/value-store.ts'

/**
 * The comfort limits. The temperatures (°C) are those of category II of EN 16798-1 for offices, from the minimum in
 * winter to the maximum in summer. The CO₂ limit (ppm) is a common one for indoor air.
 */
export const COMFORT = { minC: 20, maxC: 26, maxPpm: 1000 } as const

/** The kinds of rooms in which people stay, unlike corridors, plant rooms and car parks. */
const OCCUPIED: readonly RoomKind[] = ['work', 'meeting', 'retail', 'food', 'common']

const TO_CELSIUS: Record<string, (value: number) => number> = {
  DEG_C: (value) => value,
  DEG_F: (value) => ((value - 32) * 5) / 9,
  K: (value) => value - 273.15,
}

/** The signals that measure comfort. */
export interface ComfortSignals {
  temperature: Signal | undefined
  co2: Signal | undefined
}

/** Signals of many rooms come before those of few, so the first temperature is that of the rooms, not of equipment. */
export const comfortSignals = (signals: readonly Signal[]): ComfortSignals => ({
  temperature: signals.find(({ quantityKind, unit }) => quantityKind === 'Temperature' && unit in TO_CELSIUS),
  co2: signals.find(({ quantityKind, unit, name }) => {
    return quantityKind === 'MoleFraction' && unit === 'PPM' && /co₂|co2|carbon dioxide/i.test(name)
  }),
})

export interface Comfort {
  comfortable: number
  /** The number of rooms with a temperature. */
  measured: number
  /** The storey with the most rooms that are not comfortable. */
  worstStoreyId: string | undefined
}

/**
 * Counts the rooms in which people stay and whose temperature is measured. A room is comfortable if its temperature
 * and, where it is measured, its CO₂ are within the limits.
 */
export function comfortOf(
  { spaces }: Pick<BuildingModel, 'spaces'>,
  { temperature, co2 }: ComfortSignals,
  values: Pick<ValueStore, 'get'>,
): Comfort {
  const valueIn = (signal: Signal | undefined, spaceId: string) =>
    numberOf(newestReading(signal?.pointsBySpace.get(spaceId) ?? [], values)?.value ?? '')
  const toCelsius = TO_CELSIUS[temperature?.unit ?? ''] ?? ((value: number) => value)
  const outside = new Map<string, number>()
  let [comfortable, measured] = [0, 0]
  for (const { id, storeyId, spaceTypeSlug } of spaces) {
    if (!OCCUPIED.includes(kindOfRoom(spaceTypeSlug))) continue
    const degrees = toCelsius(valueIn(temperature, id))
    if (!Number.isFinite(degrees)) continue
    measured++
    // A room without a CO₂ sensor has NaN here, which is not above the limit.
    const isComfortable = degrees >= COMFORT.minC && degrees <= COMFORT.maxC && !(valueIn(co2, id) > COMFORT.maxPpm)
    if (isComfortable) comfortable++
    else outside.set(storeyId, (outside.get(storeyId) ?? 0) + 1)
  }
  const worst = [...outside].sort(([, a], [, b]) => b - a)[0]
  return { comfortable, measured, worstStoreyId: worst?.[0] }
}

/** The share of comfortable rooms, rounded down to whole percent, so that it is 1 only if all rooms are comfortable. */
export const comfortShare = ({ comfortable, measured }: Pick<Comfort, 'comfortable' | 'measured'>): number =>
  Math.floor((100 * comfortable) / measured) / 100
