import { randomUUID } from 'node:crypto'
import { Problem } from '@storey/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scanTimes } from './check-observation.ts'
import { ExternalIdIndex } from './external-id-index.ts'
import { type IngestForm, JSON_DOCUMENT, JSON_LINES, lineProtocol } from './forms.ts'
import { copyOf, type Observations, sourceOf, valueText } from './observations.ts'
import { PointIndex } from './point-index.ts'

const NOW = Date.parse('2026-05-01T00:00:00.000Z')
const ids = Array.from({ length: 10 }, () => randomUUID())
const NAMES = ['AHU 1,supply', 'x=1', 'plain', 'back\\slash', 'größe', 'a:b', '#1', '"q"']
const numbered = ids.map((id, i) => ({ id, number: i + 1 }))
const points = {
  index: new PointIndex(numbered, numbered.length),
  externalIds: new ExternalIdIndex(
    NAMES.flatMap((externalId, i) =>
      ['bms one', 'bms'].map((sourceSystem) => ({ sourceSystem, externalId, number: i + 1 })),
    ),
  ),
}

interface Given {
  point: number
  value: string
  at: number
  source: string | undefined
}
const given = fc.record({
  point: fc.nat(7),
  value: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.integer().map(String),
    fc.string({ maxLength: 20, unit: 'grapheme' }).filter((text) => !text.includes('\0')),
    fc.constantFrom('on', 'true', '"', '\\', 'a\\"b', 'two\nlines', '1e5', '-0', '1e999', ''),
  ),
  at: fc.integer({ min: -62_135_596_800_000, max: NOW + 86_400_000 }),
  source: fc.option(
    fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).filter((text) => !/[\0\n\\]/.test(text)),
    { nil: undefined },
  ),
})
const some = fc.array(given, { minLength: 1, maxLength: 40 })

const record = ({ point, value, at, source }: Given) => ({
  ...{ pointId: ids[point], value, timestamp: new Date(at).toISOString() },
  ...(source === undefined ? {} : { source }),
})
const asJson = (all: readonly Given[]) => JSON.stringify({ observations: all.map(record) })
const asLines = (all: readonly Given[]) => all.map((one) => JSON.stringify(record(one))).join('\n')

const escapedName = (text: string) => text.replace(/([,= ])/g, '\\$1')
const escapedText = (text: string) => text.replace(/(["\\])/g, '\\$1')
/** Observations as line protocol. A point is named by its id or external id, as the measurement or as a tag. */
const asLineProtocol = (all: readonly Given[]) =>
  all
    .map(({ point, value, at, source }, i) => {
      const name = i % 2 === 0 ? ids[point]! : escapedName(`bms one:${NAMES[point]}`)
      const isNumber = /^-?\d+(\.\d+)?(e[-+]?\d+)?$/.test(value) && Number.isFinite(Number(value))
      const field = isNumber && i % 3 !== 0 ? value : `"${escapedText(value)}"`
      const tags = [
        ...(i % 4 < 2 ? [] : [`host=server\\ 1`, `point=${name}`]),
        ...(source === undefined ? [] : [`source=${escapedName(source)}`]),
      ]
      return `${[i % 4 < 2 ? name : 'modbus', ...tags].join(',')} value=${field} ${at}`
    })
    .join('\n')

const rowsOf = (observations: Observations) =>
  Array.from({ length: observations.count }, (_, i) => ({
    point: observations.points[i],
    at: observations.times[i],
    value: valueText(observations, i),
    source: sourceOf(observations, i),
  }))

const readAtOnce = (form: IngestForm, text: string | Buffer) => {
  const { observations, ...rest } = form.read(Buffer.from(text), points, scanTimes(NOW))
  return { rows: rowsOf(copyOf(observations)), ...rest }
}
const readInSteps = async (form: IngestForm, text: string | Buffer) => {
  const { observations, ...rest } = await form.readLarge(Buffer.from(text), points, scanTimes(NOW))
  return { rows: rowsOf(observations), ...rest }
}

describe('the forms of an ingest', () => {
  it('[OBS-18, OBS-19] read the same observations as JSON does', async () => {
    await fc.assert(
      fc.asyncProperty(some, async (all) => {
        const expected = readAtOnce(JSON_DOCUMENT, asJson(all))
        expect(expected).toMatchObject({ unknown: [], errors: [] })
        for (const read of [readAtOnce, readInSteps]) {
          expect(await read(JSON_LINES, asLines(all))).toEqual(expected)
          expect(await read(lineProtocol('ms'), asLineProtocol(all))).toEqual(expected)
        }
      }),
    )
  })

  it('[OBS-19] return the same for a line of line protocol, whether the fast code or the slower code reads it', () => {
    const number = fc.oneof(
      fc.integer().map(String),
      fc.integer({ min: 0 }).map((n) => `${n}i`),
      fc.tuple(fc.integer(), fc.nat(999_999)).map(([whole, part]) => `${whole}.${part}`),
      fc.constantFrom('-0', '0.1', '5u', '-5u', '1.', '.5', '123456789012345', '1234567890.12345', '9007199254740993'),
    )
    const name = fc.constantFrom(
      ids[0]!,
      ids[7]!.toUpperCase(),
      'bms:plain',
      `m,point=${ids[1]}`,
      `m,point=${ids[4]}`,
      `n,point=${ids[5]}`,
      `m,host=a,point=${ids[6]}`,
      `m,host=b,point=${ids[8]}`,
      `m,Point=${ids[9]}`,
      'm,host=a,point=bms:plain,zone=1',
      `${ids[2]},point=bms:plain`,
      `${ids[2]},points=x,source=me`,
      `m,point=${ids[3]},point=x`,
      'unknown',
      `m,point=${randomUUID()}`,
    )
    const time = fc.oneof(
      fc.constant(''),
      fc.integer({ min: 0, max: NOW }).map((ms) => ` ${ms}${'012345'.slice(0, ms % 7)}`),
      fc.constantFrom(' -1', ' 0', ' 99', ' 12345678901234567890', ' 1x'),
    )
    const line = fc.tuple(name, number, time).map(([point, value, at]) => `${point} value=${value}${at}`)
    const precisions = fc.constantFrom('ns', 'us', 'ms', 's')
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 10 }), precisions, (lines, precision) => {
        const form = lineProtocol(precision as 'ns')
        // Lines with a carriage return are not of the usual form, so they are read by the slower code.
        expect(readAtOnce(form, lines.join('\n'))).toEqual(readAtOnce(form, `${lines.join('\r\n')}\r\n`))
      }),
      { numRuns: 500 },
    )
  })

  it('[OBS-18, OBS-19] read valid observations from any body, or return errors or throw a problem', async () => {
    const bytes = fc.uint8Array({ maxLength: 200 })
    const grammar = fc
      .array(
        fc.constantFrom(ids[0]!, ' ', ',', '=', '"', '\\', '\n', '#', 'value', 'point=', '21.5', '5i', 't', '\r', 'ü'),
      )
      .map((parts) => Buffer.from(parts.join('')))
    const altered = fc
      .tuple(some, fc.constantFrom(asLines, asLineProtocol), fc.nat(), fc.nat(255))
      .map(([all, write, place, byte]) => {
        const text = Buffer.from(write(all))
        text[place % text.length] = byte
        return text
      })
    const FORMS = [JSON_LINES, lineProtocol('ns'), lineProtocol('ms')]
    await fc.assert(
      fc.asyncProperty(fc.oneof(bytes, grammar, altered), async (body) => {
        for (const form of FORMS) {
          for (const read of [readAtOnce, readInSteps]) {
            try {
              const { rows, unknown, errors } = await read(form, Buffer.from(body))
              expect(rows.length + errors.length).toBeGreaterThan(0)
              if (errors.length + unknown.length > 0) continue
              for (const { point, at, value } of rows) {
                expect(point).toBeGreaterThan(0)
                expect(Number.isSafeInteger(at)).toBe(true)
                expect(value).not.toBe('NaN')
              }
            } catch (err) {
              expect(err).toBeInstanceOf(Problem)
            }
          }
        }
      }),
      { numRuns: 400 },
    )
  })
})

const errorsOf = (form: IngestForm, text: string): unknown => {
  try {
    return form.read(Buffer.from(text), points, scanTimes(NOW)).errors
  } catch (err) {
    return (err as Problem).members.errors
  }
}

describe('NDJSON', () => {
  const line = (fields: object = {}) => JSON.stringify({ pointId: ids[0], value: '1', ...fields })

  it('[OBS-18] may have empty lines, spaces, carriage returns and a byte order mark', () => {
    const { rows } = readAtOnce(JSON_LINES, `\uFEFF\n${line()}\r\n\r\n  ${line({ value: '2' })} \n\n`)
    expect(rows.map(({ value }) => value)).toEqual(['1', '2'])
  })

  it.each([
    ['a number as the value', `\n${line({ value: 1 })}`, '/observations/1/value', 3],
    ['an unknown field', line({ unit: 'C' }), '/observations/1/unit', 2],
    ['no value', line({ value: undefined }), '/observations/1/value', 2],
    [
      'a time that is too late',
      `\n\n${line({ timestamp: '2026-05-02T00:00:00.001Z' })}`,
      '/observations/1/timestamp',
      4,
    ],
    ['a field twice', '{"value":"1","value":"2"}', '/observations/1/value', 2],
    ['an object on two lines', '{"pointId":\n"x"}', '/observations/1', 2],
    ['two objects on a line', `${line()} ${line()}`, '/observations/1', 2],
    ['a comma', `${line()},`, '/observations/1', 2],
    ['an array', `[${line()}]`, '/observations/1', 2],
    ['a lone surrogate', '{"pointId":"x","value":"\\ud800"}', '/observations/1', 2],
    ['no JSON', 'x', '/observations/1', 2],
  ])('[OBS-18] is refused with the number of the wrong line: %s', (_, second, pointer, number) => {
    const errors = errorsOf(JSON_LINES, `${line()}\n${second}\n${line()}`)
    expect(errors).toMatchObject([{ pointer, line: number, detail: expect.stringContaining(`line ${number}: `) }])
  })

  it('[OBS-18] is refused if it is empty', () => {
    for (const text of ['', '\n\n', ' \r\n']) expect(errorsOf(JSON_LINES, text)).toHaveLength(1)
  })
})

describe('the reader of line protocol', () => {
  const read = (text: string, precision: 'ns' | 'us' | 'ms' | 's' = 'ns') => readAtOnce(lineProtocol(precision), text)
  const id = ids[0]!

  it.each([
    ['21.5', '21.5'],
    ['-3', '-3'],
    ['5i', '5'],
    ['-5i', '-5'],
    ['7u', '7'],
    ['9223372036854775807i', '9223372036854776000'],
    ['1e3', '1000'],
    ['+1.5E-1', '0.15'],
    ['"on"', 'on'],
    ['"a \\"b\\" \\\\ c, d=1"', 'a "b" \\ c, d=1'],
    ['""', ''],
    ['"21.5"', '21.5'],
    ...['t', 'T', 'true', 'True', 'TRUE'].map((word) => [word, 'true']),
    ...['f', 'F', 'false', 'False', 'FALSE'].map((word) => [word, 'false']),
  ])('[OBS-19] reads the value %s', (written, value) => {
    expect(read(`${id} value=${written}`)).toMatchObject({ rows: [{ point: 1, value, at: NOW }], errors: [] })
  })

  it.each([
    ['ns', '1772348400123456789', 1_772_348_400_123],
    ['us', '1772348400123456', 1_772_348_400_123],
    ['ms', '1772348400123', 1_772_348_400_123],
    ['s', '1772348400', 1_772_348_400_000],
    ['ns', '-1', -1],
    ['ns', '999999', 0],
    ['ns', '-1000000', -1],
    ['s', '-62135596800', -62_135_596_800_000],
  ] as const)('[OBS-21] reads a timestamp in %s: %s', (precision, written, at) => {
    expect(read(`${id} value=1 ${written}`, precision)).toMatchObject({ rows: [{ at }], errors: [] })
  })

  it('[OBS-19] ignores comments, empty lines and spaces around a line', () => {
    const { rows, errors } = read(
      `# comment value=1\n\n  ${id} value=1 \r\n\t# another\n${id}   value=2   1000000  \n#`,
    )
    expect(errors).toEqual([])
    expect(rows.map(({ value, at }) => [value, at])).toEqual([
      ['1', NOW],
      ['2', 1],
    ])
  })

  it('[OBS-19] ignores a comment after a line that the fast code reads', () => {
    const { rows, errors } = read(`${id} value=1\n#m,point=${ids[1]} value=2\n#${ids[1]} value=3\n${ids[1]} value=4`)
    expect([rows.map(({ value }) => value), errors]).toEqual([['1', '4'], []])
  })

  it('[OBS-20] finds a point by the tag `point` if the line has one, and otherwise by the measurement', () => {
    const { rows, unknown } = read(
      `${id},point=${ids[1]} value=1\nbms\\ one:plain value=2\nm,host=a,point=bms\\ one:x\\=1 value=3\n${id.toUpperCase()} value=4`,
    )
    expect(rows.map(({ point }) => point)).toEqual([2, 3, 2, 1])
    expect(unknown).toEqual([])
    const other = read(`cpu,host=a value=1\ncpu value=1\n${id},point=bms\\ one:no value=1\n`)
    expect(other.unknown).toEqual(['cpu', 'bms one:no'])
  })

  it.each([
    ['no field', id],
    ['another field', `${id} temperature=1`],
    ['a second field', `${id} value=1,quality=2`],
    ['the value twice', `${id} value=1,value=2`],
    ['a value that is a word', `${id} value=abc`],
    ['no value', `${id} value=`],
    ['a value that is too large', `${id} value=1e999`],
    ['NaN', `${id} value=NaN`],
    ['an integer with decimals', `${id} value=1.5i`],
    ['an integer above 64 bits', `${id} value=9223372036854775808i`],
    ['a negative unsigned integer', `${id} value=-1u`],
    ['a text without an end', `${id} value="abc`],
    ['a text with more behind it', `${id} value="abc"x`],
    ['a timestamp that is a word', `${id} value=1 now`],
    ['a timestamp with decimals', `${id} value=1 1.5`],
    ['a timestamp of 20 digits', `${id} value=1 17723484001234567890`],
    ['more after the timestamp', `${id} value=1 1 2`],
    ['a tag without a value', `${id},host= value=1`],
    ['a tag without a name', `${id},=a value=1`],
    ['a tag without an equals sign', `${id},host value=1`],
    ['two `point` tags', `${id},point=${id},point=${id} value=1`],
    ['no measurement', `,host=a value=1`],
    ['no measurement before the point', `,point=${id} value=1`],
    ['JSON', `{"pointId": "${id}"}`],
  ])('[OBS-19] refuses a body, and names the wrong line by its number: %s', (_, text) => {
    for (const [before, number] of [
      ['', 1],
      [`# c\n\n${id} value=1\n`, 4],
    ] as const) {
      expect(errorsOf(lineProtocol('ns'), before + text)).toMatchObject([
        { in: 'body', line: number, detail: expect.stringContaining(`line ${number}: `) },
      ])
    }
  })

  it('[OBS-19] applies the limits of JSON to texts, sources and times', () => {
    const pointers = (text: string) =>
      (errorsOf(lineProtocol('ms'), text) as { pointer: string }[]).map(({ pointer }) => pointer)
    expect(pointers(`${id} value="${'x'.repeat(1001)}"`)).toEqual(['/observations/0/value'])
    expect(pointers(`${id} value="a\0b"`)).toEqual(['/observations/0/value'])
    expect(pointers(`${id},source=${'x'.repeat(201)} value=1`)).toEqual(['/observations/0/source'])
    expect(pointers(`${id} value=1 ${NOW + 86_400_000}`)).toEqual([])
    expect(pointers(`${id} value=1\n${id} value=1 ${NOW + 86_400_001}`)).toEqual(['/observations/1/timestamp'])
    expect(pointers(`${id} value=1 -62135596800001`)).toEqual(['/observations/0/timestamp'])
  })

  const LONG = 4_000_000
  it.each([
    ['a measurement', `${'\\,'.repeat(LONG)} value=1`],
    ['a measurement without escapes', `${'a'.repeat(LONG)} value=1`],
    ['a source', `x,point=${id},source=${'\\,'.repeat(LONG)} value=1`],
    ['tags', `x${',a=b'.repeat(LONG / 4)},point=${id} value=1`],
    ['a text', `${id} value="${'\\"'.repeat(LONG)}"`],
    ['a number', `${id} value=${'1'.repeat(LONG)}`],
    ['an integer', `${id} value=${'1'.repeat(LONG)}i`],
    ['a word', `${id} value=${'e'.repeat(LONG)}`],
    ['a timestamp', `${id} value=1 ${'1'.repeat(LONG)}`],
  ])('[OBS-19, ERR-26] refuses a line of megabytes without reading all of it: %s', async (_, line) => {
    const { errors, unknown } = await readInSteps(lineProtocol('ns'), Buffer.from(`${line}\n${id} value=x`))
    expect(errors).toMatchObject([
      { line: 1, detail: 'line 1: the line has more than 65,536 bytes' },
      { line: 2, detail: expect.stringContaining('line 2: value must be a number') },
    ])
    expect(unknown).toEqual([])
  })

  it('[OBS-19] reads a line of 60 KB, and refuses one of 70 KB, with and without a source', () => {
    const ofKb = (kb: number, rest = '') => `x${`,tag=${'v'.repeat(1019)}`.repeat(kb)},point=${id}${rest} value=1`
    for (const rest of ['', ',source=meter']) {
      expect(read(ofKb(60, rest)).errors).toEqual([])
      expect(errorsOf(lineProtocol('ns'), ofKb(70, rest))).toMatchObject([
        { detail: expect.stringContaining('65,536') },
      ])
    }
  })

  it('[OBS-19] stops at twenty errors in a large body', async () => {
    const bad = Buffer.from('x\n'.repeat(2_000_000))
    const { errors } = await readInSteps(lineProtocol('ns'), bad)
    expect(errors).toHaveLength(20)
  })
})
