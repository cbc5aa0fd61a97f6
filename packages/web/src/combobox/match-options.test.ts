import { describe, expect, it } from 'vitest'
import { matchOptions } from './match-options.ts'

const options = [
  { value: '1', label: 'Small office 1', detail: '02-014 · Level 2' },
  { value: '2', label: 'Office 2', detail: '03-001 · Level 3' },
  { value: '3', label: 'Meeting room' },
]
const found = (text: string) => matchOptions(options, text).map(({ value }) => value)

describe('matchOptions', () => {
  it('returns all options for an empty text', () => {
    expect(matchOptions(options, '  ')).toBe(options)
  })

  it('returns options whose label and detail together contain all words, in upper or lower case', () => {
    expect(found('LEVEL 3')).toEqual(['2'])
    expect(found('office 02-014')).toEqual(['1'])
    expect(found('room office')).toEqual([])
  })

  it('puts options whose label starts with the text first', () => {
    expect(found('office')).toEqual(['2', '1'])
  })
})
