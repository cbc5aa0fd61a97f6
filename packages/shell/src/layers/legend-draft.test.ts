import { describe, expect, it } from 'vitest'
import {
  colorsOf,
  draftOf,
  emptyEntry,
  readDraft,
  suggestBands,
  suggestCategories,
  suggestYesAndNo,
} from './legend-draft.ts'

const entry = (changes: object) => ({ ...emptyEntry('NUMBER', '#112233'), label: 'A', ...changes })

describe('readDraft', () => {
  it('reads what draftOf wrote', () => {
    const legend = [
      { min: 0, max: 20.5, label: 'Cold', color: '#4575b4' },
      { value: 21, label: 'Exact', color: 'red' },
    ]
    const draft = draftOf(legend, (value) => String(value).replace('.', ','))
    expect(draft[0]).toMatchObject({ max: '20,5', isRange: true })
    expect(readDraft('NUMBER', draft)).toEqual({ legend, problems: new Map() })
  })

  it('names what is wrong with an entry, and leaves the entry out', () => {
    const draft = [
      entry({ min: '', max: 'x', label: ' ' }),
      entry({ min: '5', max: '1' }),
      entry({ min: '1', max: '5', color: 'url(x)' }),
      entry({ min: '1', max: '5' }),
    ]
    const { legend, problems } = readDraft('NUMBER', draft)
    expect(legend).toEqual([{ min: 1, max: 5, label: 'A', color: '#112233' }])
    expect([...problems.values()]).toEqual([
      { min: 'required', max: 'notNumber' },
      { max: 'minAboveMax' },
      { color: 'badColour' },
    ])
  })

  it('labels an entry without a label by its value or range', () => {
    const draft = [entry({ min: '1', max: '2,5', label: '' }), entry({ value: '7', isRange: false, label: '' })]
    expect(readDraft('NUMBER', draft).legend.map(({ label }) => label)).toEqual(['1 – 2,5', '7'])
    expect([...readDraft('STRING', [entry({ isRange: false, label: '' })]).problems.values()]).toEqual([
      { label: 'required' },
    ])
  })

  it('refuses a value that already has an entry', () => {
    const draft = ['true', 'false', 'true'].map((value) => entry({ value, isRange: false }))
    const { legend, problems } = readDraft('BOOLEAN', draft)
    expect(legend.map(({ value }) => value)).toEqual([true, false])
    expect([...problems.values()]).toEqual([{ value: 'repeated' }])
  })
})

describe('a suggested legend', () => {
  it('has bands that have round bounds and together contain all numbers', () => {
    const bands = suggestBands([17.3, 26.9, 21], 5, 'coldToHot')
    expect(bands.map(({ min, max }) => [min, max])).toEqual([
      [16, 18],
      [18, 20],
      [20, 22],
      [22, 24],
      [24, 26],
      [26, 28],
    ])
    expect(suggestBands([0.1, 0.3], 3, 'lowToHigh')[0]).toMatchObject({ min: 0.1, label: '0.1 – 0.2' })
  })

  it('has a band for a single number, and no bands without numbers', () => {
    expect(suggestBands([7], 5, 'lowToHigh').some(({ min, max }) => min! <= 7 && 7 <= max!)).toBe(true)
    expect(suggestBands([0], 5, 'lowToHigh')).toMatchObject([{ min: 0 }])
    expect(suggestBands([], 5, 'lowToHigh')).toEqual([])
  })

  it('has an entry for each value', () => {
    expect(suggestCategories(['b', 'a', 'b']).map(({ value }) => value)).toEqual(['b', 'a'])
    expect(suggestYesAndNo({ yes: 'Yes', no: 'No' })).toMatchObject([{ value: true }, { value: false, label: 'No' }])
  })
})

it('colorsOf returns as many colours of a palette as requested', () => {
  expect(colorsOf('coldToHot', 6)).toEqual(['#4575b4', '#91bfdb', '#d9eef3', '#fee090', '#fc8d59', '#d73027'])
  expect(colorsOf('lowToHigh', 2)).toEqual(['#e3f0ef', '#155e5a'])
  expect(colorsOf('lowToHigh', 1)).toHaveLength(1)
})
