import { problems } from '@storey/contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkValues } from './check-values.ts'
import type { LayerKind } from './layers.store.ts'
import { limitCheckTime } from './limit-check-time.ts'

let nowMs = 0
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
})
afterEach(() => void vi.restoreAllMocks())

const taking = (ms: number) => () => {
  nowMs += ms
  return undefined
}
const tooLong = () => problems.field('values', 'too long')

describe('limitCheckTime', () => {
  it('refuses the next value when the checks took too long', async () => {
    const check = limitCheckTime(taking(4_000), tooLong)
    await check(1)
    await check(2)
    await expect(check(3)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
  })

  it('does not count the time between the checks', async () => {
    const check = limitCheckTime(taking(1), tooLong)
    for (let value = 0; value < 10; value++) {
      expect(await check(value)).toBeUndefined()
      nowMs += 60_000
    }
  })

  it('yields to other requests between long checks', async () => {
    const check = limitCheckTime(taking(1_000), tooLong)
    const order: string[] = []
    setImmediate(() => order.push('another request'))
    for (const value of [1, 2]) {
      await check(value)
      order.push(`value ${value}`)
    }
    expect(order).toEqual(['value 1', 'another request', 'value 2'])
  })
})

describe('an upload', () => {
  it('is refused if its values take too long to check', async () => {
    const layer: LayerKind = { id: '', valueType: 'NUMBER', legend: null, schemaText: '{}', valuesUpdatedAt: null }
    const checks = { of: async () => taking(4_000) }
    const refusal = { code: 'VALIDATION_FAILED', members: { errors: [{ pointer: '/values' }] } }
    await expect(checkValues(layer, ['a', 'b', 'c'], { a: 1, b: 2, c: 3 }, checks)).rejects.toMatchObject(refusal)
    expect(await checkValues(layer, ['a', 'b'], { a: 1, b: 2 }, checks)).toEqual([1, 2])
  })
})
