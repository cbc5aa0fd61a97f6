import { SIMULATION_SOURCE } from '@storey/contract'
import { expect, it } from 'vitest'
import { createClientPoints } from './client-points.ts'

it('createClientPoints remembers the points that clients write to, and not those that the simulation writes to', () => {
  const { seen, note } = createClientPoints()
  const columns = { times: new Float64Array(3), values: new Float64Array(3), texts: new Map<number, string>() }
  const points = Int32Array.from([5, 70_000, 1])
  note({ ...columns, count: 2, points, sources: null, sourceNames: [] })
  note({ ...columns, count: 3, points, sources: Uint16Array.from([1, 1, 1]), sourceNames: [SIMULATION_SOURCE] })
  expect([5, 70_000, 1, 6, 200_000].map((point) => seen.has(point))).toEqual([true, true, false, false, false])
  expect(seen.size).toBe(2)
})
