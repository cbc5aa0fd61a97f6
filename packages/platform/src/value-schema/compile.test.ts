import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Problem } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { checkContract, compileValueSchema } from './compile.ts'
import { compilePattern } from './patterns.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema'

function refusalOf(schema: unknown): string {
  try {
    compileValueSchema(schema)
  } catch (err) {
    if (err instanceof Problem && err.code === 'VALUE_SCHEMA_INVALID') return err.message
    throw err
  }
  return 'it compiles'
}
const refuses = (schema: unknown, sentence: RegExp) => expect(refusalOf(schema)).toMatch(sentence)
const fits = (schema: unknown, value: string | number | boolean) => compileValueSchema(schema)(value) === undefined
const nested = (levels: number): object => (levels === 0 ? {} : { not: nested(levels - 1) })

describe('a value schema', () => {
  it.each([
    [{}, 'anything', true],
    [{ minimum: 0, maximum: 100 }, 100, true],
    [{ minimum: 0, maximum: 100 }, 100.5, false],
    [{ type: ['string', 'number'] }, 'x', true],
    [{ type: 'string', minLength: 2 }, '😀', false],
    [{ enum: ['a', 'b', 0, null, ['x']] }, 'b', true],
    [{ enum: ['a', 'b'] }, 'c', false],
    [{ enum: [0] }, -0, true],
    [{ const: true }, true, true],
    [{ definitions: { room: { pattern: '^R' } }, $ref: '#/definitions/room' }, 'R1', true],
    [{ definitions: { room: { pattern: '^R' } }, $ref: '#/definitions/room' }, 'X1', false],
    [{ definitions: { 'a/b ~c': { maximum: 1 } }, $ref: '#/definitions/a~1b%20~0c' }, 2, false],
    [{ $schema: DRAFT_2020, $defs: { a: { minimum: 3 } }, $ref: '#/$defs/a' }, 2, false],
    [{ $schema: DRAFT_07, $id: 'https://example.org/schema', title: 'T', description: 'd', examples: [1] }, 1, true],
    [{ $schema: DRAFT_2020, prefixItems: [{ type: 'string' }] }, 'x', true],
    [{ properties: { a: { $ref: '#' } } }, 'nested values may refer to the root', true],
    [{ pattern: 'b+' }, 'abc', true],
    [{ pattern: '^.$' }, '😀', true],
    [{ pattern: '^\\u0041\\d{2}$' }, 'A12', true],
    [{ allOf: [{ pattern: '^a' }, { pattern: 'z$' }] }, 'abc', false],
    [{ format: 'date' }, '2026-02-30', false],
    [{ format: 'date-time' }, '2026-02-20T10:00:00Z', true],
    [{ format: 'email' }, 'a@b.example', true],
    [{ format: 'uri' }, 'no uri', false],
    [{ anyOf: [{ const: 'on', title: 'On' }, { const: 'off' }] }, 'maybe', false],
  ])('[LAY-22] %j accepts the value %j: %s', (schema, value, expected) => {
    expect(fits(schema, value)).toBe(expected)
  })

  it.each<[unknown, RegExp]>([
    [7, /must be a JSON Schema/],
    [[], /must be a JSON Schema/],
    [true, /must be a JSON Schema/],
    [{ type: 'nonsense' }, /type must be equal to one of/],
    [{ minimum: 'x' }, /minimum must be number/],
    [{ minimum: { $data: '/x' } }, /minimum must be number/],
    [{ whatever: 1 }, /unknown keyword: "whatever"/],
    [{ format: 'hostname' }, /unknown format "hostname"/],
    [{ $async: true }, /uses \$async/],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, /neither draft-07 nor 2020-12/],
    [{ $schema: 7 }, /neither draft-07 nor 2020-12/],
    [{ not: { $schema: DRAFT_07 } }, /\$schema below its root/],
  ])('[LAY-07] %j is refused', (schema, sentence) => refuses(schema, sentence))

  it.each<[unknown, RegExp]>([
    [{ $ref: 'http://127.0.0.1:9/schema.json' }, /only point inside/],
    [{ $ref: 'file:///etc/passwd' }, /only point inside/],
    [{ $ref: 'other.json#/a' }, /only point inside/],
    [{ allOf: [{ $ref: 'https://example.org/x' }] }, /only point inside/],
    [{ $defs: { unused: { $ref: 'https://example.org/x' } }, $schema: DRAFT_2020 }, /only point inside/],
    [{ definitions: { a: { $id: 'http://x/y' } }, $ref: 'http://x/y' }, /\$id below its root/],
    [{ $schema: DRAFT_2020, $dynamicRef: 'https://example.org/x' }, /uses \$dynamicRef/],
    [{ $schema: DRAFT_2020, $vocabulary: { 'https://example.org/v': true } }, /uses \$vocabulary/],
    [{ $ref: '#/definitions/nobody' }, /there is no schema/],
    [{ $ref: '#/%E0%A4%A' }, /there is no schema/],
    [{ $ref: '#/enum/0', enum: [{ type: 'string' }] }, /there is no schema/],
  ])('[LAY-08] %j is refused, because its references are not limited to schemas in the document', (schema, sentence) =>
    refuses(schema, sentence),
  )

  it('[LAY-09] is accepted up to 64 KB, and refused above 64 KB', () => {
    const sized = (bytes: number) => ({ description: 'x'.repeat(bytes - '{"description":""}'.length) })
    expect(refusalOf(sized(65_536))).toBe('it compiles')
    refuses(sized(65_537), /65537 bytes, and at most 65536/)
    refuses({ description: 'я'.repeat(32_768) }, /at most 65536/)
  })

  it.each(['^(?=a)b', '(a)\\1', '(?<!x)y', '(a{1,40}){1,40}', '(', '\\p{Nothing}'])(
    '[LAY-10] is refused with the pattern %s, which is invalid or cannot run in linear time',
    (pattern) => {
      refuses({ pattern }, /cannot run in linear time/)
      refuses({ patternProperties: { [pattern]: {} } }, /cannot run in linear time/)
    },
  )

  it('[LAY-10] runs a pattern in linear time, even if other engines need exponential time for it', () => {
    const check = compileValueSchema({ pattern: '^(a+)+$' })
    expect(check(`${'a'.repeat(60_000)}!`)).toMatch(/must match pattern/)
    expect(check('a'.repeat(60_000))).toBeUndefined()
  })

  it.each([
    ['a repeat of many characters', `(?:${'a?b'.repeat(460)}){1000}`],
    ['nested repeats', '(?:(?:a{10}){10}){1000}'],
    ['a repeat behind flags', `(?:${'a?b'.repeat(460)})(?i){1000}`],
    ['a repeat behind flags and another repeat', `(?:${'a?b'.repeat(460)})+(?i){1000}`],
    ['a repeat behind empty quotes', `(?:${'a?b'.repeat(460)})\\Q\\E{1000}`],
    [
      'a repeat of a group with brackets and parentheses in classes and escapes',
      `(?:${'[\\](]\\)\\Q)\\E'.repeat(50)}){1000}`,
    ],
    ['many classes of Unicode', `[${'\\pL'.repeat(12_000)}]`],
    ['many ranges that ignore case', `(?i)[${'B-\\x{1e000}'.repeat(5_000)}]`],
    ['many brackets without end', '['.repeat(60_000)],
    ['many braces without end', '\\p{'.repeat(15_000)],
  ])('[LAY-49] is refused with a pattern that is too large, before the pattern is compiled: %s', (_, pattern) => {
    const startedAt = process.cpuUsage()
    refuses({ pattern }, /patterns that are too large/)
    refuses({ patternProperties: { [pattern]: {} } }, /patterns that are too large/)
    expect(() => checkContract({ properties: { a: { pattern } } })).toThrow(/patterns that are too large/)
    expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(1_000)
  })

  it.each([
    '^[A-Z]{2}\\d{4}$',
    '^.{1,1000}$',
    '^[a-z]{1,500}@[a-z]{1,500}\\.[a-z]{1,500}$',
    '^(?:[0-9a-f]{2}:){400}$',
    '^\\u1000{1000}$',
    '^\\p{L}{1,64}( \\p{L}{1,64}){0,10}$',
    '(?i)^[a-z0-9._%+-]+@[a-z0-9.-]+$',
    '^[]a]|[[:alpha:](]{3}\\[\\((?:x)$',
  ])('[LAY-49] is accepted with the pattern %s, which has at most 4,000 steps', (pattern) => {
    expect(refusalOf({ pattern })).toBe('it compiles')
  })

  it('[LAY-50] is refused if its references multiply the steps of its patterns', () => {
    const schema = (references: number) => ({
      definitions: { p: { pattern: '^(?:a|b)*a(?:a|b){990}(?:a|b)$|^[ab]*$' } },
      allOf: Array.from({ length: references }, () => ({ $ref: '#/definitions/p' })),
    })
    expect(refusalOf(schema(3))).toBe('it compiles')
    refuses(schema(4), /patterns that are too large, including references/)
  })

  it('[LAY-50] refuses a text that is too long for its patterns, without running them', () => {
    const check = compileValueSchema({ pattern: '^(?:a|b)*a(?:a|b){990}(?:a|b)$|^[ab]*$' })
    expect(check('ab'.repeat(2_000))).toBeUndefined()
    const startedAt = process.cpuUsage()
    expect(check('ab'.repeat(32_768))).toMatch(/^has 65536 characters, but .* at most 9970$/)
    expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(100)
    expect(fits({ pattern: '^[ab]*$' }, 'ab'.repeat(32_768))).toBe(true)
  })

  it('[LAY-50] keeps little memory after it has checked texts with many patterns', () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage: () => void = runInNewContext('gc')
    const usedMb = () => {
      collectGarbage()
      return process.memoryUsage().heapUsed / 2 ** 20
    }
    let random = 1
    const letter = () => {
      random = (random * 48_271) % 2_147_483_647
      return random % 2 === 0 ? 'a' : 'b'
    }
    const text = Array.from({ length: 8_000 }, letter).join('')
    const before = usedMb()
    const patterns = Array.from({ length: 8 }, (_, i) => compilePattern(`^(?:a|b)*a(?:a|b){${40 + i}}$`))
    for (const pattern of patterns)
      for (let from = 0; from < 8_000; from += 2_000) pattern.test(text.slice(from, from + 2_000))
    expect(usedMb() - before).toBeLessThan(10)
    expect(patterns[0]!.test(`a${'b'.repeat(40)}`)).toBe(true)
  })

  it('is refused if its references are cyclic or multiply the number of checks', () => {
    refuses({ $ref: '#' }, /form a cycle/)
    refuses(
      { definitions: { a: { $ref: '#/definitions/b' }, b: { allOf: [{ $ref: '#/definitions/a' }] } } },
      /form a cycle/,
    )
    refuses({ anyOf: [{ type: 'string' }, { not: { $ref: '#' } }] }, /form a cycle/)
    const twice = (name: string) => ({ allOf: [{ $ref: `#/definitions/${name}` }, { $ref: `#/definitions/${name}` }] })
    const definitions = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`d${i}`, twice(`d${i + 1}`)]))
    refuses({ definitions: { ...definitions, d40: { type: 'string' } }, ...twice('d0') }, /more than 200 schemas/)
  })

  it('is refused if it is too deep, too long or too large', () => {
    expect(refusalOf(nested(31))).toBe('it compiles')
    refuses(nested(40), /more than 32 levels/)
    refuses({ enum: Array.from({ length: 5001 }, (_, i) => i) }, /more than 5000 entries/)
    refuses({ anyOf: Array.from({ length: 201 }, () => ({})) }, /more than 200 schemas/)
    refuses({ allOf: [{ pattern: 'a{1,1000}' }, { pattern: 'b{1,1000}' }] }, /too large/)
  })

  it('does not run the names and texts in it as code', () => {
    const nasty = `x"]; throw new Error('in'); //\\u2028\${1}\``
    const schema = {
      title: nasty,
      properties: { [nasty]: { const: nasty }, ['__proto__']: { type: 'number' } },
      definitions: { [nasty]: { enum: [nasty], $comment: nasty } },
      required: [nasty],
      anyOf: [{ const: nasty }, { enum: [nasty] }],
    }
    expect(fits(schema, nasty)).toBe(true)
    expect(fits(schema, 'x')).toBe(false)
    expect(fits(JSON.parse('{"properties":{"__proto__":{"minimum":1}},"maximum":3}'), 4)).toBe(false)
    expect(({} as Record<string, unknown>).minimum).toBeUndefined()
  })
})
