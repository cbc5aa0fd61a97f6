import { LIMITS, minAreaSqm, PLAIN_TEXT, SANDBOX_NAME } from '@storey/contract'
import type { SandboxCreate } from '@storey/sdk'

/** The form values as typed. For an empty optional field the service uses its default. */
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

/** Why a field is invalid: the key of a text, and the values of its placeholders. */
export type FieldError =
  | { key: 'whole' | 'number'; min: number; max: number }
  | { key: 'nameNeeded' | 'seedNeeded' | 'invisibleCharacters' }
  | { key: 'tooLong'; max: number }
  | { key: 'aboveMax'; max: number }
  | { key: 'areaSmall'; min: number }

export type FieldErrors = Partial<Record<keyof CreateFields, FieldError>>

const { sandbox } = LIMITS
const NAME = new RegExp(SANDBOX_NAME, 'u')
const SEED = new RegExp(PLAIN_TEXT, 'u')

export const initialFields = (seed: string): CreateFields => ({
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

/** Validates the fields in the browser. The service validates them again. */
export function validateFields(fields: CreateFields): FieldErrors {
  const errors: FieldErrors = {}
  const name = fields.name.trim()
  if (!/[\p{L}\p{N}]/u.test(name)) errors.name = { key: 'nameNeeded' }
  else if (name.length > sandbox.nameLength) errors.name = { key: 'tooLong', max: sandbox.nameLength }
  else if (!NAME.test(name)) errors.name = { key: 'invisibleCharacters' }
  if (fields.seed.trim() === '') errors.seed = { key: 'seedNeeded' }
  else if (fields.seed.length > sandbox.seedLength) errors.seed = { key: 'tooLong', max: sandbox.seedLength }
  else if (!SEED.test(fields.seed)) errors.seed = { key: 'invisibleCharacters' }
  for (const [field, { min, max }] of Object.entries(WHOLE_NUMBERS) as [
    keyof typeof WHOLE_NUMBERS,
    { min: number; max: number },
  ][]) {
    const n = numberOf(fields[field])
    if (n === undefined || !Number.isInteger(n) || n < min || n > max) errors[field] = { key: 'whole', min, max }
  }
  const max = validNumber(fields.spacesMax)
  if (!errors.spacesMin && !errors.spacesMax && validNumber(fields.spacesMin) > max) {
    errors.spacesMin = { key: 'aboveMax', max }
  }
  const area = areaError(fields, !errors.storeys && !errors.spacesMin)
  if (area) errors.areaSqm = area
  return errors
}

function areaError({ areaSqm, storeys, spacesMin }: CreateFields, areRoomsValid: boolean): FieldError | undefined {
  if (areaSqm.trim() === '') return undefined
  const { min, max } = sandbox.areaSqm
  const area = numberOf(areaSqm)
  if (area === undefined || area < min || area > max) return { key: 'number', min, max }
  const least = minAreaSqm({ storeys: validNumber(storeys), spacesMin: validNumber(spacesMin) })
  return areRoomsValid && area < least ? { key: 'areaSmall', min: least } : undefined
}

/** Accepts numbers such as `3500`, `3,500`, `3 500`, `3500.5` and `3500,5`. Undefined for any other text. */
function numberOf(text: string): number | undefined {
  const compact = text.replace(/[\s'’]/g, '')
  const plain = /^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(compact)
    ? compact.replaceAll(',', '')
    : compact.replace(',', '.')
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : undefined
}

/** The number in a field; NaN if the text is not a number. */
const validNumber = (text: string): number => numberOf(text) ?? Number.NaN

/** The parameters that determine the building. The fields must be valid. */
export function buildingParametersOf(fields: CreateFields) {
  const area = numberOf(fields.areaSqm)
  return {
    buildingType: fields.buildingType,
    storeys: validNumber(fields.storeys),
    ...(area === undefined ? {} : { areaSqm: area }),
    spacesMin: validNumber(fields.spacesMin),
    spacesMax: validNumber(fields.spacesMax),
    equipmentDensity: fields.equipmentDensity,
    ...(fields.occupancyProfile === '' ? {} : { occupancyProfile: fields.occupancyProfile }),
    seed: fields.seed,
  }
}

export const requestOf = (fields: CreateFields): SandboxCreate => ({
  name: fields.name.trim(),
  ...buildingParametersOf(fields),
  ttlDays: validNumber(fields.ttlDays),
  seedTelemetryDays: validNumber(fields.seedTelemetryDays),
})

const SEED_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'

/** The browser generates the seed, so that the preview shows the building that the service creates. */
export const newSeed = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => SEED_LETTERS[byte % SEED_LETTERS.length]).join('')
