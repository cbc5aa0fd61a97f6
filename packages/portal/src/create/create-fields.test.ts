import { describe, expect, it } from 'vitest'
import { previewOf } from '../preview/preview.ts'
import { type CreateFields, faultsOf, firstFields, newSeed, requestOf, shapeOf } from './create-fields.ts'

const fields = (changes: Partial<CreateFields> = {}): CreateFields => ({
  ...firstFields('seed-1'),
  name: 'Harbour tower',
  ...changes,
})

describe('the form of a new sandbox', () => {
  it('has nothing against what it starts with, but for the name', () => {
    expect(faultsOf(fields())).toEqual({})
    expect(Object.keys(faultsOf(firstFields('s')))).toEqual(['name'])
  })

  it('names every field that is out of its limits', () => {
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
    expect(Object.keys(faultsOf(wrong)).sort()).toEqual(
      ['areaSqm', 'name', 'seed', 'seedTelemetryDays', 'spacesMax', 'spacesMin', 'storeys', 'ttlDays'].sort(),
    )
    expect(faultsOf(fields({ storeys: '' })).storeys).toEqual({ key: 'whole', min: 1, max: 50 })
    expect(faultsOf(fields({ storeys: '50', ttlDays: '30', seedTelemetryDays: '0' }))).toEqual({})
  })

  it('refuses what the service would refuse in a name and a seed: characters that nobody sees', () => {
    for (const unseen of ['\u0007', '\u202e', '\u200b', '\ud800']) {
      expect(faultsOf(fields({ name: `Harbour${unseen} tower` })).name).toEqual({ key: 'unseenCharacters' })
    }
    expect(faultsOf(fields({ seed: 'seed\u2028' })).seed).toEqual({ key: 'unseenCharacters' })
    expect(faultsOf(fields({ name: 'Башня 🏢 بُرج' }))).toEqual({})
  })

  it('knows which bounds of the rooms contradict each other, and which area is too small for them', () => {
    expect(faultsOf(fields({ spacesMin: '31' })).spacesMin).toEqual({ key: 'aboveMax', max: 30 })
    expect(faultsOf(fields({ areaSqm: '99' })).areaSqm).toEqual({ key: 'areaSmall', min: 100 })
    expect(faultsOf(fields({ areaSqm: '100' }))).toEqual({})
  })

  it('sends what was typed, and leaves open what was left open', () => {
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
    for (const wrong of ['0x10', '1e5', '3.5.1', '-5'])
      expect(faultsOf(fields({ areaSqm: wrong })).areaSqm).toBeDefined()
    expect(requestOf(fields({ areaSqm: '2400.5', occupancyProfile: '24x7' }))).toMatchObject({
      areaSqm: 2400.5,
      occupancyProfile: '24x7',
    })
  })

  it('proposes another seed each time', () => {
    expect(newSeed()).toMatch(/^[a-z2-9]{10}$/)
    expect(newSeed()).not.toBe(newSeed())
  })

  it('previews the building of its fields, every storey with its rooms', () => {
    const preview = previewOf(shapeOf(fields({ storeys: '3' })))
    expect(preview.storeys).toHaveLength(3)
    expect(preview.storeys.flatMap(({ rooms }) => rooms)).toHaveLength(preview.rooms)
    expect(preview.fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(previewOf(shapeOf(fields({ storeys: '3', seed: 'seed-2' }))).fingerprint).not.toBe(preview.fingerprint)
  })
})
