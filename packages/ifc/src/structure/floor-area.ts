import { IfcError } from '../ifc-error.ts'
import type { Entities, Entity } from '../step/entities.ts'
import { type Units, unitFactor } from './units.ts'

/** The names of quantities and properties for a room's area, the best first. Case, blanks and _ are ignored. */
const NAMES = ['netfloorarea', 'grossfloorarea', 'area', 'gsabimarea', 'netarea', 'grossarea']

const MAX_AREA_SQM = 1e8

/**
 * The area of a room according to its quantity and property sets; null if the sets have no area. A group has the ids of
 * the sets that one relation (IfcRelDefinesByProperties) assigns to the room.
 */
export type StatedArea = (space: Entity, groups: readonly (readonly number[])[]) => number | null

interface Candidate {
  /** The index in NAMES. */
  rank: number
  areaSqm: number
}

/**
 * Thousands of rooms may share thousands of sets, each with thousands of properties. So each set is read once, and of
 * each set and each group only the first area of each name is kept. An area of zero counts as unknown.
 */
export function createStatedArea(entities: Entities, units: Units): StatedArea {
  const ofSet = cached((id: number) => firstOfEachName(candidatesIn(entities, id, units)))
  const ofGroup = cached((group: readonly number[]) => firstOfEachName(group.flatMap(ofSet)))
  return (space, groups) => {
    let best: Candidate | null = null
    for (const candidate of groups.flatMap(ofGroup)) {
      const { rank, areaSqm } = candidate
      if (best !== null && best.rank <= rank) continue
      if (!(areaSqm > 0 && areaSqm < MAX_AREA_SQM))
        throw new IfcError(`The room #${space.id} has an implausible area: ${areaSqm} m²`)
      best = candidate
    }
    return best === null ? null : Math.round(best.areaSqm * 1e4) / 1e4
  }
}

function cached<K, V>(read: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>()
  return (key) => {
    const value = known.get(key) ?? read(key)
    known.set(key, value)
    return value
  }
}

function candidatesIn(entities: Entities, id: number, units: Units): Candidate[] {
  const set = entities.get(id)
  if (set === null) return []
  return [...set.references('Quantities'), ...set.references('HasProperties')].flatMap((id) => {
    const entry = entities.get(id)
    const rank = NAMES.indexOf((entry?.text('Name') ?? '').toLowerCase().replaceAll(/[\s_]/g, ''))
    const areaSqm = entry === null || rank < 0 ? null : areaOf(entities, entry, units)
    return areaSqm === null || areaSqm === 0 ? [] : [{ rank, areaSqm }]
  })
}

function firstOfEachName(candidates: Candidate[]): Candidate[] {
  const ranks = new Set<number>()
  return candidates.filter(({ rank }) => !ranks.has(rank) && ranks.add(rank))
}

function areaOf(entities: Entities, entry: Entity, units: Units): number | null {
  const value = entry.isA('IfcQuantityArea') ? entry.number('AreaValue') : propertyArea(entry)
  if (value === null) return null
  const unit = entities.get(entry.reference('Unit'))
  return value * (unit === null ? units.areaSqm : unitFactor(entities, unit))
}

function propertyArea(entry: Entity): number | null {
  return entry.isA('IfcPropertySingleValue') ? entry.number('NominalValue') : null
}
