import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { scanTimes } from './check-observation.ts'
import { errorsOf } from './errors-of-large-body.ts'
import { copyOf } from './observations.ts'
import { PointIndex } from './point-index.ts'
import { NotPlain, scanInTurns, scanObservations } from './scan-observations.ts'

const ids = Array.from({ length: 50 }, (_, i) => ({ id: randomUUID(), number: i + 1 }))
const index = new PointIndex(ids, ids.length)
const now = Date.parse('2026-05-01T00:00:00.000Z')

const one = (i: number) => ({
  pointId: ids[i % 50]!.id,
  value: i % 7 ? `${i}.5` : `text ${i}`,
  source: `meter ${i % 3}`,
})
const bodyOf = (count: number, odd: Record<number, unknown> = {}) =>
  Buffer.from(JSON.stringify({ observations: Array.from({ length: count }, (_, i) => (i in odd ? odd[i] : one(i))) }))

const inEscapes = (name: string) => [...name].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')

/** The errors that the sender of a large body gets. */
async function errorsFor(body: Buffer) {
  const err = await scanInTurns(body, index, scanTimes(now)).catch((thrown: unknown) => thrown)
  expect(err).toBeInstanceOf(NotPlain)
  return errorsOf(body, (err as NotPlain).place)
}

describe('a large body of observations', () => {
  it('[ERR-26] gives the same columns in several turns as in one, even while another body is scanned', async () => {
    const [large, other] = [bodyOf(20_000), bodyOf(9_000)]
    const whole = copyOf(scanObservations(large, index, scanTimes(now)).observations)
    const [first, second] = await Promise.all([
      scanInTurns(large, index, scanTimes(now)),
      scanInTurns(other, index, scanTimes(now)),
    ])
    expect(copyOf(first.observations)).toEqual(whole)
    expect(second.observations.count).toBe(9_000)
  })

  it('[ERR-26] can begin with a byte order mark and have escapes in names, like a small body', async () => {
    const plain = bodyOf(9_000)
    const names = ['observations', 'pointId', 'value', 'source']
    const escaped = names.reduce((text, name) => text.replaceAll(`"${name}"`, `"${inEscapes(name)}"`), plain.toString())
    const { observations } = await scanInTurns(Buffer.from(`\uFEFF${escaped}`), index, scanTimes(now))
    expect(copyOf(observations)).toEqual(copyOf(scanObservations(plain, index, scanTimes(now)).observations))
  })

  it('[ERR-26] is refused with the errors of its first invalid observation', async () => {
    expect(await errorsFor(bodyOf(9000, { 7000: { ...one(1), value: 21.5 } }))).toEqual([
      { pointer: '/observations/7000/value', in: 'body', detail: 'observations.7000.value must be string' },
    ])
    expect(await errorsFor(bodyOf(9000, { 8999: { ...one(1), colour: 'x' } }))).toMatchObject([
      { pointer: '/observations/8999/colour' },
    ])
    expect(await errorsFor(bodyOf(9000, { 3: null }))).toMatchObject([{ detail: 'observations.3 must be object' }])
    expect(await errorsFor(bodyOf(9000, { 3: 'x' }))).toMatchObject([{ detail: 'observations.3 must be object' }])
    const cut = bodyOf(9000)
    expect(await errorsFor(cut.subarray(0, cut.length - 20))).toMatchObject([{ pointer: '/observations/8999' }])
  })

  it.each(['pointId', 'value', 'timestamp', 'source'])(
    '[ERR-26] is refused if %s has megabytes, without decoding that field',
    async (field) => {
      const long = { ...one(1), [field]: '"'.repeat(3_000_000) }
      const { errors, unknown } = await scanInTurns(bodyOf(9000, { 10: long }), index, scanTimes(now))
      expect(errors).toEqual([
        {
          pointer: `/observations/10/${field}`,
          in: 'body',
          detail: `observations.10.${field} has more than 16,384 bytes`,
        },
      ])
      expect(unknown).toEqual([])
      const longKey = { [`${field}${'"'.repeat(3_000_000)}`]: '' }
      expect(await errorsFor(bodyOf(9000, { 10: longKey }))).toMatchObject([{ pointer: '/observations/10' }])
    },
  )

  it('[ERR-26] is refused at the first object if all its objects are empty', async () => {
    const body = Buffer.from(`{"observations":[${'{},'.repeat(3_000_000)}{}]}`)
    const started = performance.now()
    expect(await errorsFor(body)).toMatchObject([
      { pointer: '/observations/0/pointId' },
      { pointer: '/observations/0/value' },
    ])
    const refused = performance.now() - started
    JSON.parse(body.toString())
    const parsed = performance.now() - started - refused
    // Refusing takes less time than parsing, since the other objects are never read.
    expect(refused / parsed).toBeLessThan(1)
    expect(await errorsFor(Buffer.from(`[${'{},'.repeat(3_000_000)}{}]`))).toMatchObject([{ pointer: '' }])
  })
})
