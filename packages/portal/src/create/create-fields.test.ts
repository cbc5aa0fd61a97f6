import { describe, expect, it } from 'vitest'
import { previewOf } from '../preview/preview.ts'
import {
  buildingParametersOf,
  type CreateFields,
  initialFields,
  newSeed,
  requestOf,
  validateFields,
} from './create-fields.ts'

const fields = (changes: Partial<CreateFields> = {}): CreateFields => ({
  ...initialFields('seed-1'),
  name: 'Harbour tower',
  ...changes,
})

describe('the form for a new sandbox', () => {
  it('accepts its defaults except for the empty name', () => {
    expect(validateFields(fields())).toEqual({})
    expect(Object.keys(validateFields(initialFields('s')))).toEqual(['name'])
  })

  it('reports every invalid field', () => {
    const wrong = fields({
      name: '—',
      storeys: '51',
      areaSqm: '9',
      spacesMin: '0',
      spacesMax: '3.5',
      ttlDays: '31',
      seedTelemetryDays: '-1',
      seed: ' ',
    })
    expect(Object.keys(validateFields(wrong)).sort()).toEqual(
      ['areaSqm', 'name', 'seed', 'seedTelemetryDays', 'spacesMax', 'spacesMin', 'storeys', 'ttlDays'].sort(),
    )
    expect(validateFields(fields({ storeys: '' })).storeys).toEqual({ key: 'whole', min: 1, max: 50 })
    expect(validateFields(fields({ storeys: '50', ttlDays: '30', seedTelemetryDays: '0' }))).toEqual({})
  })

  it('refuses invisible characters in name and seed', () => {
    for (const invisible of ['\u0007', '\u202e', '\u200b', '\u2028', '\ud800']) {
      expect(validateFields(fields({ name: `Harbour${invisible} tower` })).name).toEqual({ key: 'invisibleCharacters' })
    }
    expect(validateFields(fields({ seed: 'seed\u2028' })).seed).toEqual({ key: 'invisibleCharacters' })
    expect(validateFields(fields({ name: 'Башня 🏢 بُرج' }))).toEqual({})
  })

  it('refuses a minimum of rooms above the maximum, and an area too small for the rooms', () => {
    expect(validateFields(fields({ spacesMin: '31' })).spacesMin).toEqual({ key: 'aboveMax', max: 30 })
    expect(validateFields(fields({ areaSqm: '99' })).areaSqm).toEqual({ key: 'areaSmall', min: 100 })
    expect(validateFields(fields({ areaSqm: '100' }))).toEqual({})
  })

  it('becomes a request without the empty fields, and accepts an area in several notations', () => {
    expect(requestOf(fields({ name: '  Harbour tower ' }))).toEqual({
      name: 'Harbour tower',
      buildingType: 'office',
      storeys: 5,
      spacesMin: 10,
      spacesMax: 30,
      equipmentDensity: 'realistic',
      seed: 'seed-1',
      ttlDays: 14,
      seedTelemetryDays: 7,
    })
    for (const written of ['3500', '3,500', '3 500', '3\u00a0500', "3'500"]) {
      expect(requestOf(fields({ areaSqm: written })).areaSqm).toBe(3500)
    }
    expect(requestOf(fields({ areaSqm: '3500,5' })).areaSqm).toBe(3500.5)
    expect(requestOf(fields({ areaSqm: '0,500' })).areaSqm).toBe(0.5)
    const spaced = fields({ storeys: ' 1 2', spacesMax: '40,0' })
    expect([validateFields(spaced), requestOf(spaced)]).toMatchObject([{}, { storeys: 12, spacesMax: 40 }])
    for (const wrong of ['0x10', '1e5', '3.5.1', '-5'])
      expect(validateFields(fields({ areaSqm: wrong })).areaSqm).toBeDefined()
    expect(requestOf(fields({ areaSqm: '2400.5', occupancyProfile: '24x7' }))).toMatchObject({
      areaSqm: 2400.5,
      occupancyProfile: '24x7',
    })
  })

  it('generates a new seed each time', () => {
    expect(newSeed()).toMatch(/^[a-z2-9]{10}$/)
    expect(newSeed()).not.toBe(newSeed())
  })

  it('becomes a preview with all storeys and rooms', () => {
    const preview = previewOf(buildingParametersOf(fields({ storeys: '3' })))
    expect(preview.storeys).toHaveLength(3)
    expect(preview.storeys.flatMap(({ rooms }) => rooms)).toHaveLength(preview.rooms)
    expect(preview.fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(previewOf(buildingParametersOf(fields({ storeys: '3', seed: 'seed-2' }))).fingerprint).not.toBe(
      preview.fingerprint,
    )
  })
})
