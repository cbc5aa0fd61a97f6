import { IfcError } from '../ifc-error.ts'
import type { Entities, Entity } from '../step/entities.ts'

export interface Units {
  /** The size of the file's unit of length, in metres. */
  lengthM: number
  /** The size of the file's unit of area, in square metres. */
  areaSqm: number
}

const PREFIXES: Record<string, number> = {
  EXA: 18,
  PETA: 15,
  TERA: 12,
  GIGA: 9,
  MEGA: 6,
  KILO: 3,
  HECTO: 2,
  DECA: 1,
  DECI: -1,
  CENTI: -2,
  MILLI: -3,
  MICRO: -6,
  NANO: -9,
  PICO: -12,
  FEMTO: -15,
  ATTO: -18,
}

/** A longer chain of conversions may be circular. Most units need at most one, such as from the foot to the metre. */
const MAX_CONVERSIONS = 6

/**
 * The units of the project, or else of the first IfcUnitAssignment in the file. A missing unit is the metre or the
 * square metre.
 */
export function readUnits(entities: Entities, project: Entity | null): Units {
  const assigned = entities.get(project?.reference('UnitsInContext') ?? null)
  const assignment = assigned ?? [...entities.ofClass('IfcUnitAssignment')][0] ?? null
  const units = (assignment?.references('Units') ?? []).map((id) => entities.get(id))
  const factor = (unitType: string): number => {
    const unit = units.find((each) => each?.enumeration('UnitType') === unitType)
    return unit ? unitFactor(entities, unit) : 1
  }
  return { lengthM: factor('LENGTHUNIT'), areaSqm: factor('AREAUNIT') }
}

/** The size of the unit in metres or square metres. */
export function unitFactor(entities: Entities, unit: Entity, depth = 0): number {
  const factor = unit.isA('IfcSIUnit') ? siFactor(unit) : conversionFactor(entities, unit, depth)
  if (!(factor > 1e-15 && factor < 1e9)) throw new IfcError(`The unit #${unit.id} has an implausible size`)
  return factor
}

function siFactor(unit: Entity): number {
  const exponent = PREFIXES[unit.enumeration('Prefix') ?? ''] ?? 0
  // The prefix applies to the metre, not to the square metre: a square millimetre is 1e-6 square metres.
  return 10 ** (exponent * (unit.enumeration('Name') === 'SQUARE_METRE' ? 2 : 1))
}

function conversionFactor(entities: Entities, unit: Entity, depth: number): number {
  const measure = entities.get(unit.reference('ConversionFactor'))
  const base = entities.get(measure?.reference('UnitComponent') ?? null)
  const value = measure?.number('ValueComponent') ?? null
  if (base === null || value === null) throw new IfcError(`The unit #${unit.id} is not complete`)
  if (depth >= MAX_CONVERSIONS) {
    throw new IfcError(`The chain of conversions that includes the unit #${unit.id} is too long or circular`)
  }
  return value * unitFactor(entities, base, depth + 1)
}
