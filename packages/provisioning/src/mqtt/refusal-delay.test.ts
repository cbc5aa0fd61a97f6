import { describe, expect, it } from 'vitest'
import { createRefusalDelay } from './refusal-delay.ts'

const MB = 1024 * 1024

describe('the delay of refusals', () => {
  it('[MQT-18] limits refused messages of a sandbox to 10 MB a second, and does not delay other sandboxes', () => {
    let at = 0
    const waitFor = createRefusalDelay(() => at)
    expect(waitFor('own', 1_000)).toBe(0)
    let refused = 0
    for (; at < 10_000; at += waitFor('own', 11 * MB)) refused += 11
    expect(refused).toBeGreaterThanOrEqual(90)
    expect(refused).toBeLessThanOrEqual(130)
    expect(waitFor('other', 100_000)).toBe(0)
    at += 60_000
    expect(waitFor('own', 100_000)).toBe(0)
  })

  it('[MQT-18] also limits the number of small refused messages, and counts each recipient of a refusal', () => {
    let at = 0
    const waitFor = createRefusalDelay(() => at)
    const inTenSeconds = (recipients: number) => {
      let refused = 0
      for (const end = at + 10_000; at < end; at += waitFor('own', 1, recipients)) refused++
      return refused
    }
    expect(inTenSeconds(0)).toBeLessThanOrEqual(21_000)
    at += 60_000
    expect(inTenSeconds(49)).toBeLessThanOrEqual(500)
    expect(waitFor('other', 1, 49)).toBe(0)
  })

  it('is shared by all clients of a sandbox, and is at most 30 seconds', () => {
    const waitFor = createRefusalDelay(() => 0)
    const waits = Array.from({ length: 50 }, () => waitFor('own', 11 * MB))
    expect(waits[2]).toBeGreaterThan(2 * waits[0]!)
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000)
  })
})
