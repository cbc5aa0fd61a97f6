import type { Problem } from '@storey/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSlices } from './parse-slices.ts'

const parse = (text: string) => parseSlices(Buffer.from(text))
const pad = 'x'.repeat(500)

/** Values whose arrays and objects are often larger than a slice as JSON, with escaped characters and unusual names. */
const { tree } = fc.letrec<{ tree: unknown; array: unknown[]; object: Record<string, unknown> }>((tie) => ({
  tree: fc.oneof({ depthSize: 'small' }, fc.jsonValue(), tie('array'), tie('object')),
  array: fc
    .tuple(fc.array(tie('tree'), { maxLength: 3 }), fc.constantFrom(0, 1, 300))
    .map(([some, times]) => [...some, ...Array.from({ length: times }, (_, i) => `${pad}"\\ж${i}`)]),
  object: fc
    .tuple(fc.dictionary(fc.string(), tie('tree'), { maxKeys: 3 }), fc.constantFrom(0, 1, 300))
    .map(([some, times]) =>
      Object.fromEntries([
        ...Object.entries(some),
        ...Array.from({ length: times }, (_, i) => [`${i % 2 ? i : `k${i}`}`, { [pad]: [i, null, true, -1.5e3] }]),
      ]),
    ),
}))

describe('a large JSON text', () => {
  it('[ERR-26] is parsed in slices to the same value as by JSON.parse', async () => {
    await fc.assert(
      fc.asyncProperty(tree, fc.constantFrom(undefined, 1, '\t'), async (value, space) => {
        const text = JSON.stringify(value, null, space)
        expect(JSON.stringify(await parse(text))).toBe(JSON.stringify(JSON.parse(text)))
      }),
      { numRuns: 40 },
    )
  })

  it('[ERR-22] is refused exactly when JSON.parse refuses it', async () => {
    const signs = fc.constantFrom('', ',', ':', '"', '[', ']', '{', '}', '1', '\\', ' ', '\u0001', ',,', 'nul')
    await fc.assert(
      fc.asyncProperty(tree, fc.nat(), fc.nat(3), signs, async (value, place, cut, sign) => {
        const good = JSON.stringify([value, Array(200).fill(pad)], null, 1)
        const at = place % good.length
        const text = good.slice(0, at) + sign + good.slice(at + cut)
        const answer = await parse(text).then(JSON.stringify, () => 'refused')
        expect(answer).toBe(parsed(text))
      }),
      { numRuns: 60 },
    )
  })

  it('[ERR-22] keeps __proto__ as data, and the last of two equal keys', async () => {
    const filler = Array.from({ length: 300 }, (_, i) => `"${i}k":"${pad}"`).join(',')
    const body = (await parse(`{"a":1,${filler},"__proto__":{"x":1},"a":2}`)) as Record<string, unknown>
    expect(Object.hasOwn(body, '__proto__')).toBe(true)
    expect(({} as { x?: number }).x).toBeUndefined()
    expect(body.a).toBe(2)
    expect(Object.keys(body)[0]).toBe('a')
  })

  it('[ERR-13] is refused with the name of the field that contains a NUL character', async () => {
    const rows = Array.from({ length: 400 }, (_, i) => ({ name: pad, code: i === 377 ? 'a\0b' : 'c' }))
    const err = await parse(JSON.stringify({ rows })).catch((thrown: unknown) => thrown as Problem)
    expect((err as Problem).members.errors).toMatchObject([{ pointer: '/rows/377/code', in: 'body' }])
  })

  it('[ERR-13] is refused if the name of a member contains a NUL character, whatever the size of its value', async () => {
    for (const rows of [['x'], Array(300).fill(pad)]) {
      const err = await parse(JSON.stringify({ list: { 'a\0b': rows } })).catch((thrown: unknown) => thrown as Problem)
      expect((err as Problem).members?.errors).toMatchObject([{ pointer: '/list', in: 'body' }])
    }
  })

  it('[ERR-26] is refused if it contains a string or a number that is too long for any field', async () => {
    for (const text of [`{"a":"${'x'.repeat(2_000_000)}"}`, `[${'1'.repeat(2_000_000)}]`, '1'.repeat(2_000_000)]) {
      await expect(parse(text)).rejects.toThrow('too large for any field')
    }
  })

  const rows = (count: number) => `[${'{"a":{},"b":[1,2]},'.repeat(count)}{}]`

  it.each([
    ['one large list', `{"rows":${rows(150_000)}}`],
    ['lists that are hardly larger than a slice', `[${Array(140).fill(`[${rows(3000)},${rows(500)}]`)}]`],
  ])('[ERR-26] yields to other work while it is parsed: %s', async (_content, text) => {
    let turns = 0
    const count = () => {
      turns++
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    await parse(text)
    clearImmediate(next)
    expect(turns).toBeGreaterThan(3)
  })
})

function parsed(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return 'refused'
  }
}
