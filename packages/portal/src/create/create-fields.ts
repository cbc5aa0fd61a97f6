import { LIMITS, leastAreaSqm, PLAIN_TEXT, SANDBOX_NAME } from '@storey/contract'
import type { SandboxCreate } from '@storey/sdk'

/** The form as it is typed: everything a text. An empty one leaves the choice to the service. */
export interface CreateFields {
  name: string
  buildingType: 'office' | 'mall'
  storeys: string
  areaSqm: string
  spacesMin: string
  spacesMax: string
  equipmentDensity: 'sparse' | 'realistic' | 'dense'
  occupancyProfile: '' | '24x7' | 'office-hours' | 'peak-evenings'
  seed: string
  ttlDays: string
  seedTelemetryDays: string
}

/** Why a field cannot be taken: a key of the words, with its figures. */
export type Fault =
  | { key: 'whole' | 'number'; min: number; max: number }
  | { key: 'nameNeeded' | 'seedNeeded' | 'unseenCharacters' }
  | { key: 'tooLong'; max: number }
  | { key: 'aboveMax'; max: number }
  | { key: 'areaSmall'; min: number }

export type Faults = Partial<Record<keyof CreateFields, Fault>>

const { sandbox } = LIMITS
const NAME = new RegExp(SANDBOX_NAME, 'u')
const SEED = new RegExp(PLAIN_TEXT, 'u')

export const firstFields = (seed: string): CreateFields => ({
  name: '',
  buildingType: 'office',
  storeys: String(sandbox.storeys.default),
  areaSqm: '',
  spacesMin: String(sandbox.spaces.defaultMin),
  spacesMax: String(sandbox.spaces.defaultMax),
  equipmentDensity: 'realistic',
  occupancyProfile: '',
  seed,
  ttlDays: String(sandbox.ttlDays.default),
  seedTelemetryDays: String(sandbox.seedTelemetryDays.default),
})

const WHOLE_NUMBERS = {
  storeys: sandbox.storeys,
  spacesMin: sandbox.spaces,
  spacesMax: sandbox.spaces,
  ttlDays: sandbox.ttlDays,
  seedTelemetryDays: sandbox.seedTelemetryDays,
} as const

/** What is wrong with the fields, as far as a browser can know; the service has the last word. */
export function faultsOf(fields: CreateFields): Faults {
  const faults: Faults = {}
  const name = fields.name.trim()
  if (!/[\p{L}\p{N}]/u.test(name)) faults.name = { key: 'nameNeeded' }
  else if (name.length > sandbox.nameLength) faults.name = { key: 'tooLong', max: sandbox.nameLength }
  else if (!NAME.test(name)) faults.name = { key: 'unseenCharacters' }
  if (fields.seed.trim() === '') faults.seed = { key: 'seedNeeded' }
  else if (fields.seed.length > sandbox.seedLength) faults.seed = { key: 'tooLong', max: sandbox.seedLength }
  else if (!SEED.test(fields.seed)) faults.seed = { key: 'unseenCharacters' }
  for (const [field, { min, max }] of Object.entries(WHOLE_NUMBERS) as [
    keyof typeof WHOLE_NUMBERS,
    { min: number; max: number },
  ][]) {
    const n = numberOf(fields[field])
    if (n === undefined || !Number.isInteger(n) || n < min || n > max) faults[field] = { key: 'whole', min, max }
  }
  const spacesMin = Number(fields.spacesMin)
  if (!faults.spacesMin && !faults.spacesMax && spacesMin > Number(fields.spacesMax)) {
    faults.spacesMin = { key: 'aboveMax', max: Number(fields.spacesMax) }
  }
  const area = areaFault(fields, !faults.storeys && !faults.spacesMin)
  if (area) faults.areaSqm = area
  return faults
}

function areaFault({ areaSqm, storeys, spacesMin }: CreateFields, knowsRooms: boolean): Fault | undefined {
  if (areaSqm.trim() === '') return undefined
  const { min, max } = sandbox.areaSqm
  const area = numberOf(areaSqm)
  if (area === undefined || area < min || area > max) return { key: 'number', min, max }
  const least = leastAreaSqm({ storeys: Number(storeys), spacesMin: Number(spacesMin) })
  return knowsRooms && area < least ? { key: 'areaSmall', min: least } : undefined
}

/** As people write numbers: 3500, 3,500, 3 500 or 3500,5. */
function numberOf(text: string): number | undefined {
  const dense = text.replace(/[\s'’]/g, '')
  const plain = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(dense) ? dense.replaceAll(',', '') : dense.replace(',', '.')
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : undefined
}

/** What shapes the building. Call it on fields without faults of their own. */
export function shapeOf(fields: CreateFields) {
  const area = numberOf(fields.areaSqm)
  return {
    buildingType: fields.buildingType,
    storeys: Number(fields.storeys),
    ...(area === undefined ? {} : { areaSqm: area }),
    spacesMin: Number(fields.spacesMin),
    spacesMax: Number(fields.spacesMax),
    equipmentDensity: fields.equipmentDensity,
    ...(fields.occupancyProfile === '' ? {} : { occupancyProfile: fields.occupancyProfile }),
    seed: fields.seed,
  }
}

export const requestOf = (fields: CreateFields): SandboxCreate => ({
  name: fields.name.trim(),
  ...shapeOf(fields),
  ttlDays: Number(fields.ttlDays),
  seedTelemetryDays: Number(fields.seedTelemetryDays),
})

const SEED_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'

/** A seed is proposed here, so that the plan on the page is the building that will be made. */
export const newSeed = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => SEED_LETTERS[byte % SEED_LETTERS.length]).join('')
