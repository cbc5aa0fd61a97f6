import { IfcError } from '../ifc-error.ts'
import type { Entities, Entity } from '../step/entities.ts'
import { type Units, unitFactor } from './units.ts'

/** The names of quantities and properties for a room's area, the best first. Case, blanks and _ are ignored. */
const NAMES = ['netfloorarea', 'grossfloorarea', 'area', 'gsabimarea', 'netarea', 'grossarea']

const MAX_AREA_SQM = 1e8

/** The area in a room's quantity and property sets, or null. An area of zero counts as unknown. */
export function statedArea(entities: Entities, space: Entity, definitions: number[], units: Units): number | null {
  let best: { rank: number; areaSqm: number } | null = null
  for (const definition of definitions) {
    const set = entities.get(definition)
    if (set === null) continue
    for (const id of [...set.references('Quantities'), ...set.references('HasProperties')]) {
      const entry = entities.get(id)
      const rank = NAMES.indexOf((entry?.text('Name') ?? '').toLowerCase().replaceAll(/[\s_]/g, ''))
      if (entry === null || rank < 0 || (best !== null && best.rank <= rank)) continue
      const areaSqm = areaOf(entities, entry, units)
      if (areaSqm === null || areaSqm === 0) continue
      if (!(areaSqm > 0 && areaSqm < MAX_AREA_SQM))
        throw new IfcError(`The space #${space.id} has an implausible area: ${areaSqm} m²`)
      best = { rank, areaSqm }
    }
  }
  return best === null ? null : Math.round(best.areaSqm * 1e4) / 1e4
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
