import type { SpaceNode } from '@storey/sdk'
import { bandFor, bandsOf, LOW_TO_HIGH, type Theme } from '../colouring/bands.ts'
import { type Colouring, countShades } from '../colouring/colouring.ts'

export const ENERGY_CHOICE = 'energy'

interface EnergyTexts {
  title: string
  unit: string
  number(value: number): string
  theme: Theme
}

/** Colours all rooms of a storey by the energy that the storey has used today, in Wh per square metre of its rooms. */
export function energyColouring(
  kwhByStorey: ReadonlyMap<string, number>,
  spacesOf: (storeyId: string) => readonly SpaceNode[],
  { title, unit, number, theme }: EnergyTexts,
): Colouring {
  const density = new Map<string, number>()
  for (const [storeyId, kwh] of kwhByStorey) {
    const area = spacesOf(storeyId).reduce((sum, { areaSqm }) => sum + (areaSqm ?? 0), 0)
    if (area > 0) density.set(storeyId, (kwh * 1000) / area)
  }
  const round = (value: number) => Math.round(value)
  const bands = bandsOf({ quantityKind: '', unit: '' }, [...density.values()], { round, bound: number, theme }).map(
    (band, i) => ({ ...band, color: LOW_TO_HIGH[theme][i] ?? band.color }),
  )
  const numberOf = ({ storeyId }: SpaceNode) => density.get(storeyId)
  const shadeOf = (space: SpaceNode) => {
    const value = numberOf(space)
    return value === undefined ? undefined : bandFor(bands, round(value))
  }
  return {
    id: ENERGY_CHOICE,
    title,
    unit,
    shadeOf,
    textOf(space) {
      const value = numberOf(space)
      return value === undefined ? undefined : number(value)
    },
    numberOf,
    legend: (spaces) => countShades(bands, spaces, shadeOf),
  }
}
