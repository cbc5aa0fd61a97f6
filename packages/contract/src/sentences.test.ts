import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defineSentences, faultTitles, revisionSummaries } from './sentences.ts'

describe('a sentence of the platform', () => {
  it('gives its parts back, whatever stands in them', () => {
    const name = fc.string({ unit: 'binary', minLength: 1 })
    const kind = fc.constantFrom('storey', 'space', 'element', 'point')
    fc.assert(
      fc.property(kind, name, (kind, name) => {
        const said = revisionSummaries.say('created', { kind, name })
        expect(revisionSummaries.read(said)).toEqual({ form: 'created', parts: { kind, name } })
      }),
    )
    const title = '$1 {kind} of the space (a.b) + c'
    expect(revisionSummaries.read(revisionSummaries.say('changesetApplied', { title }))?.parts).toEqual({ title })
  })

  it('is known by its own form, among those that are alike', () => {
    const parts = { what: 'Temperature', bound: '-1.5 °C', duration: '15 min', place: 'Zone: 1, above 3' }
    for (const form of ['aboveFor', 'belowFor'] as const) {
      expect(faultTitles.read(faultTitles.say(form, parts))).toEqual({ form, parts })
    }
    const { duration: _, ...atOnce } = parts
    for (const form of ['above', 'below'] as const) {
      expect(faultTitles.read(faultTitles.say(form, atOnce))).toEqual({ form, parts: atOnce })
    }
  })

  it('that nobody defined is not read', () => {
    for (const text of ['', 'Painted the storey', 'Created the toString x', 'Deleted the space ']) {
      expect(revisionSummaries.read(text)).toBeUndefined()
    }
    expect(defineSentences({ one: 'a.b {n}' }, { n: '\\d+' }).read('axb 1')).toBeUndefined()
  })
})
