import { describe, expect, it } from 'vitest'
import { createWaits } from './waits.ts'

describe('current wait', () => {
  it('is the wait that ends last, and undefined when all waits have ended', async () => {
    const waits = createWaits(0)
    const seen: (string | undefined)[] = []
    waits.subscribe(() => seen.push(waits.current()?.code))
    const end = waits.report({ afterMs: 2000, status: 503, code: 'NOT_READY' })!
    const endLonger = waits.report({ afterMs: 37_000, status: 429, code: 'RATE_LIMITED' })!
    endLonger()
    await expect.poll(() => seen).toEqual(['NOT_READY', 'RATE_LIMITED', 'NOT_READY'])
    end()
    await expect.poll(() => waits.current()).toBeUndefined()
  })
})
