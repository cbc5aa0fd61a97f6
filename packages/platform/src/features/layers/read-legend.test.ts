import { type LegendEntry, legendOf } from '@storey/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LayersApi, startLayersApi } from './testing/layers-api.ts'

let api: LayersApi
beforeAll(async () => {
  api = await startLayersApi()
})
afterAll(() => api.stack.close())

const legend = (id: string, authorization?: string) => api.stack.get(`${api.path}/${id}/legend`, authorization)
async function filled(valueType: string, values: unknown[], more = {}): Promise<string> {
  const id = await api.layer(valueType, more)
  await api.put(id, Object.fromEntries(values.map((value, i) => [api.spaces[i]!.id, value])), { keyBy: 'id' })
  return id
}
const letters = (n: number) => Array.from({ length: n }, (_, i) => String.fromCharCode(97 + i))

describe('GET …/legend', () => {
  it('[LEG-01, LEG-09] returns an explicit legend as it was given, with counts', async () => {
    const given = [
      { value: 3, label: 'three', color: 'red' },
      { min: 0, max: 2, label: 'few', color: '#0f0' },
      { min: 50, max: 60, label: 'many', color: '#00f' },
    ]
    const id = await filled('NUMBER', [0, 1, 3, 40], { legend: given })
    const { status, body } = await legend(id)
    expect(status).toBe(200)
    expect(body).toEqual({ source: 'explicit', entries: given.map((entry, i) => ({ ...entry, count: [1, 2, 0][i] })) })
  })

  it('[LEG-02] matches a value exactly', async () => {
    const entries = [
      { value: 'Ä', label: 'x', color: '#000' },
      { value: '', label: 'empty', color: '#111' },
    ]
    const id = await filled('STRING', ['Ä', 'ä', 'A\u0308', 'Ä ', ''], { legend: entries })
    expect((await legend(id)).body.entries.map(({ count }: { count: number }) => count)).toEqual([1, 1])
    const booleans = await filled('BOOLEAN', [true, false, true], {
      legend: [{ value: false, label: 'off', color: '#000' }],
    })
    expect((await legend(booleans)).body).toMatchObject({ source: 'explicit', entries: [{ label: 'off', count: 1 }] })
  })

  it('[LEG-03] includes both ends of a range, and counts a value once', async () => {
    const entries = [
      { min: 1, max: 2, label: 'a', color: '#000' },
      { min: 2, max: 3, label: 'b', color: '#111' },
    ]
    const id = await filled('NUMBER', [0.999, 1, 2, 3, 3.001], { legend: entries })
    expect((await legend(id)).body.entries.map(({ count }: { count: number }) => count)).toEqual([2, 1])
  })

  it.each(['ENUM', 'STRING'])(
    '[LEG-04] has an entry for each value of a %s layer, ordered by code points',
    async (valueType) => {
      const id = await filled(valueType, ['b', 'a', 'Б', 'B', 'b', '\ufffd', '\u{1f600}', 'а'])
      const { body } = await legend(id)
      expect(body.source).toBe('derived')
      const rows = body.entries.map((e: { value: string; label: string; count: number }) => [e.value, e.label, e.count])
      const expected = ['B', 'a', 'b', 'Б', 'а', '\ufffd', '\u{1f600}'].map((v) => [v, v, v === 'b' ? 2 : 1])
      expect(rows).toEqual(expected)
      expect(new Set(body.entries.map((e: { color: string }) => e.color)).size).toBe(7)
    },
  )

  it('[LEG-05, LEG-08] labels the values of a BOOLEAN layer «да» and «нет», even for English clients', async () => {
    const id = await filled('BOOLEAN', [true, true, false])
    const headers = { 'accept-language': 'en' }
    const { body } = await api.stack.send('GET', `${api.path}/${id}/legend`, undefined, undefined, headers)
    expect(body).toMatchObject({
      source: 'derived',
      entries: [
        { label: 'да', value: true, count: 2 },
        { label: 'нет', value: false, count: 1 },
      ],
    })
  })

  it('[LEG-06] has ten entries for ten categories', async () => {
    const id = await filled('ENUM', letters(10))
    expect((await legend(id)).body.entries.map(({ label }: { label: string }) => label)).toEqual(letters(10))
  })

  it('[LEG-07, LEG-08] has an entry for each of the first ten categories, and one for all others', async () => {
    const id = await filled('ENUM', [...letters(13).reverse(), 'm', 'm'])
    const { body } = await legend(id)
    expect(body.entries).toHaveLength(11)
    expect(body.entries.slice(0, 10).map(({ label }: { label: string }) => label)).toEqual(letters(10))
    expect(body.entries[10]).toEqual({ label: 'прочее (3)', color: expect.stringMatching(/^#/), count: 5 })
    const eleven = await filled('STRING', letters(11))
    expect((await legend(eleven)).body.entries[10]).toMatchObject({ label: 'прочее (1)', count: 1 })
  })

  it('[LEG-10] ignores a legend that matches no value', async () => {
    const id = await filled('STRING', ['a', 'b'], { legend: [{ value: 'c', label: 'C', color: '#000' }] })
    expect((await legend(id)).body).toMatchObject({ source: 'derived', entries: [{ label: 'a' }, { label: 'b' }] })
    await api.put(id, { [api.spaces[0]!.id]: 'c' }, { keyBy: 'id' })
    expect((await legend(id)).body).toMatchObject({ source: 'explicit', entries: [{ label: 'C', count: 1 }] })
    const empty = await filled('STRING', ['a'], { legend: [] })
    expect((await legend(empty)).body).toMatchObject({ source: 'derived', entries: [{ label: 'a' }] })
  })

  it('has five ranges for a NUMBER layer without a legend, or one entry for a single value', async () => {
    const { body } = await legend(await filled('NUMBER', [0, 1, 4, 9.5, 10]))
    expect(body.source).toBe('derived')
    expect(body.entries.map((e: { label: string; count: number }) => [e.label, e.count])).toEqual([
      ['0 – 2', 2],
      ['2 – 4', 1],
      ['4 – 6', 0],
      ['6 – 8', 0],
      ['8 – 10', 2],
    ])
    const one = await legend(await filled('NUMBER', [7, 7]))
    expect(one.body).toMatchObject({ source: 'derived', entries: [{ value: 7, label: '7', count: 2 }] })
  })

  it.each(['NUMBER', 'STRING', 'BOOLEAN', 'ENUM'])(
    'has no entries for a %s layer without values',
    async (valueType) => {
      expect((await legend(await api.layer(valueType))).body).toEqual({ source: 'derived', entries: [] })
    },
  )

  it('[LEG-02, LEG-03, LEG-04, LEG-07, LEG-10] equals the result of legendOf for the same values', async () => {
    const numbers = fc.oneof(fc.integer({ min: -3, max: 12 }), fc.double({ noNaN: true, noDefaultInfinity: true }))
    const texts = fc.oneof(fc.constantFrom(...letters(14)), fc.string({ unit: 'grapheme', maxLength: 3 }))
    const shown = { label: 'x', color: '#000' }
    const cases = fc.oneof(
      fc.record({
        valueType: fc.constant('NUMBER' as const),
        values: fc.array(numbers),
        ends: fc.array(fc.tuple(numbers, numbers)),
      }),
      fc.record({
        valueType: fc.constant('STRING' as const),
        values: fc.array(texts),
        ends: fc.array(fc.tuple(texts, texts)),
      }),
      fc.record({ valueType: fc.constant('BOOLEAN' as const), values: fc.array(fc.boolean()), ends: fc.constant([]) }),
    )
    await fc.assert(
      fc.asyncProperty(cases, async ({ valueType, values: given, ends }) => {
        const values = given.slice(0, api.spaces.length).filter((v) => !String(v).includes('\0'))
        const entries: LegendEntry[] = ends.slice(0, 5).map(([a, b]) => {
          if (typeof a === 'string' || typeof b === 'string' || a === b) return { ...shown, value: a }
          return { ...shown, min: Math.min(a, b), max: Math.max(a, b) }
        })
        const good = entries.filter((e) => !String(e.value).includes('\0'))
        const id = await filled(valueType, values, { legend: good })
        const { body } = await legend(id)
        expect(body).toEqual(JSON.parse(JSON.stringify(legendOf({ valueType, legend: good }, values))))
        await api.stack.send('DELETE', `${api.path}/${id}`)
      }),
      { numRuns: 60 },
    )
  })
})
