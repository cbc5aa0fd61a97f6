import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defineSentences, faultTitles, revisionSummaries } from './sentences.ts'

describe('a sentence template', () => {
  it('reads the parts of a sentence that it formatted, whatever they contain', () => {
    const name = fc.string({ unit: 'binary', minLength: 1 })
    const kind = fc.constantFrom('storey', 'space', 'element', 'point')
    fc.assert(
      fc.property(kind, name, (kind, name) => {
        const sentence = revisionSummaries.format('created', { kind, name })
        expect(revisionSummaries.read(sentence)).toEqual({ form: 'created', parts: { kind, name } })
      }),
    )
    const title = '$1 {kind} of the space (a.b) + c'
    expect(revisionSummaries.read(revisionSummaries.format('changesetApplied', { title }))?.parts).toEqual({ title })
  })

  it('is recognized among similar templates', () => {
    const parts = { what: 'Temperature', bound: '-1.5 °C', duration: '15 min', place: 'Zone: 1, above 3' }
    for (const form of ['aboveFor', 'belowFor'] as const) {
      expect(faultTitles.read(faultTitles.format(form, parts))).toEqual({ form, parts })
    }
    const { duration: _, ...atOnce } = parts
    for (const form of ['above', 'below'] as const) {
      expect(faultTitles.read(faultTitles.format(form, atOnce))).toEqual({ form, parts: atOnce })
    }
  })

  it('does not match other text', () => {
    for (const text of ['', 'Painted the storey', 'Created the toString x', 'Deleted the space ']) {
      expect(revisionSummaries.read(text)).toBeUndefined()
    }
    expect(defineSentences({ one: 'a.b {n}' }, { n: '\\d+' }).read('axb 1')).toBeUndefined()
  })
})
