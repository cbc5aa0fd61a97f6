import { movableClock } from '@storey/kit/clock'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

const NOW = Date.parse('2026-03-05T12:00:00.000Z')
const clock = movableClock(new Date(NOW))
let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack({}, {}, clock)
})
afterAll(() => stack.close())

const observation = fc.record({
  point: fc.nat(2),
  /** Few instants over three days, so that several observations of a point have the same time. */
  at: fc.nat(20).map((n) => NOW - n * 3 * 3_600_000),
  value: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: -999, max: 999 }).map((n) => String(n / 10)) },
    { weight: 1, arbitrary: fc.constantFrom('on', 'off', 'fault') },
    { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => String(n === 0 ? 0 : n)) },
  ),
  source: fc.constantFrom(null, 'bms', 'gateway'),
})
const step = fc.oneof(
  { weight: 6, arbitrary: fc.array(observation, { minLength: 1, maxLength: 12 }) },
  { weight: 2, arbitrary: fc.constant('fold' as const) },
  { weight: 1, arbitrary: fc.constant('restart' as const) },
)

it('[OBS-02, OBS-14, OBS-16] every read returns what a map of the values has, after any mix of batches, late values, folding and restarts', async () => {
  const base = `/api/v1/buildings/${stack.seeded.buildingId}`
  const element = stack.idOf(stack.building.elements[0]!.key)
  const body = { elementId: element, pointType: 'SENSOR', name: 'Model', quantityKind: 'Temperature', unit: 'DEG_C' }
  const newPoint = async (): Promise<string> => (await stack.send('POST', `${base}/points`, body)).body.id
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      const points = [await newPoint(), await newPoint(), await newPoint()]
      const model = points.map(() => new Map<number, { value: string; source: string | null }>())
      for (const what of steps) {
        if (what === 'fold') await stack.folded()
        else if (what === 'restart') await stack.restart()
        else {
          const observations = what.map(({ point, at, value, source }) => ({
            pointId: points[point]!,
            value,
            timestamp: new Date(at).toISOString(),
            ...(source === null ? {} : { source }),
          }))
          expect((await stack.send('POST', `${base}/telemetry/observations`, { observations })).status).toBe(202)
          for (const { point, at, value, source } of what) model[point]!.set(at, { value, source })
        }
      }
      const latest = (await stack.get(`${base}/telemetry/latest`)).body.data
      for (const [i, pointId] of points.entries()) {
        const all = [...model[i]!].sort(([a], [b]) => a - b)
        const numbers = all.filter(([, { value }]) => /\d/.test(value))
        const query = `pointId=${pointId}&from=2026-03-01T00:00:00Z&to=2026-03-06T00:00:00Z`
        const { body } = await stack.get(`${base}/telemetry/observations?${query}`)
        expect(body.data).toEqual(
          numbers.map(([at, { value, source }]) => ({
            timestamp: new Date(at).toISOString(),
            value: String(Number(value)),
            source,
          })),
        )
        const last = all.at(-1)
        const answered = latest.find((row: { pointId: string }) => row.pointId === pointId)
        if (last === undefined) expect(answered).toBeUndefined()
        else {
          const value = /\d/.test(last[1].value) ? String(Number(last[1].value)) : last[1].value
          expect(answered).toMatchObject({ value, source: last[1].source, timestamp: new Date(last[0]).toISOString() })
        }
      }
    }),
    { numRuns: 8 },
  )
})
