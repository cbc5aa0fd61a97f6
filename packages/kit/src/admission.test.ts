import { describe, expect, it } from 'vitest'
import { createAdmission } from './admission.ts'

const open = (capacity: () => number, changes = {}) =>
  createAdmission({ capacity, maxWaiting: 10, maxWaitMs: 10_000, refusal: 'busy', ...changes })

/** Whether the request has been admitted by now. */
async function isIn(entering: Promise<unknown>): Promise<boolean> {
  return Promise.race([entering.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))])
}

describe('admission by bytes', () => {
  it('admits requests that fit, and the others later, in order of arrival', async () => {
    const admission = open(() => 100)
    const first = await admission.enter(60)
    const large = admission.enter(60)
    const small = admission.enter(10)
    expect([await isIn(large), await isIn(small)]).toEqual([false, false])
    expect(admission.report()).toEqual({ bytesInUse: 60, waiting: 2, refused: 0 })
    first.leave()
    first.leave()
    expect([await isIn(large), await isIn(small)]).toEqual([true, true])
    expect(admission.report()).toEqual({ bytesInUse: 70, waiting: 0, refused: 0 })
  })

  it('admits a request above the capacity when no other is in progress', async () => {
    const admission = open(() => 100)
    const small = await admission.enter(1)
    const huge = admission.enter(1_000)
    expect(await isIn(huge)).toBe(false)
    small.leave()
    const inside = await huge
    const next = admission.enter(1)
    expect(await isIn(next)).toBe(false)
    inside.resize(50)
    expect(await isIn(next)).toBe(true)
  })

  it('follows a capacity that changes', async () => {
    let capacity = 0
    const admission = open(() => capacity)
    const waiting = admission.enter(5)
    expect(await isIn(waiting)).toBe(false)
    capacity = 5
    admission.retry()
    expect(await isIn(waiting)).toBe(true)
  })

  it('refuses with NOT_READY and Retry-After when too many requests wait, or a request waits too long', async () => {
    const admission = open(() => 1, { maxWaiting: 1, maxWaitMs: 20 })
    await admission.enter(1)
    const late = admission.enter(1)
    const busy = { code: 'NOT_READY', headers: { 'retry-after': '1' } }
    await expect(admission.enter(1)).rejects.toMatchObject(busy)
    await expect(late).rejects.toMatchObject(busy)
    expect(admission.report()).toEqual({ bytesInUse: 1, waiting: 0, refused: 2 })
  })

  it('drops a waiting request whose client disconnected, and admits the next', async () => {
    const admission = open(() => 20)
    await admission.enter(5)
    const gone = new AbortController()
    const large = admission.enter(18, { signal: gone.signal })
    const small = admission.enter(5)
    gone.abort(new Error('left'))
    await expect(large).rejects.toThrow('left')
    expect(await isIn(small)).toBe(true)
  })
})

describe('[STK-23] callers', () => {
  const a = { caller: 'a' }
  const b = { caller: 'b' }

  it('take turns, however many requests one of them has', async () => {
    const admission = open(() => 10)
    const first = await admission.enter(10, a)
    const more = [admission.enter(6, a), admission.enter(6, a)]
    const other = admission.enter(2, b)
    first.leave()
    expect([await isIn(more[0]!), await isIn(other), await isIn(more[1]!)]).toEqual([true, true, false])
  })

  it('leave a quarter of the capacity to others, even if the requests that use the rest never finish', async () => {
    const admission = open(() => 100)
    const entered = Array.from({ length: 9 }, () => admission.enter(10, a))
    expect(await Promise.all(entered.map(isIn))).toEqual([...Array(7).fill(true), false, false])
    expect(await isIn(admission.enter(14, b))).toBe(true)
    // Caller b uses 14 bytes and only 16 are free, so ten more would be above b's share. A smaller request of c fits.
    expect(await isIn(admission.enter(10, b))).toBe(false)
    expect(await isIn(admission.enter(3, { caller: 'c' }))).toBe(true)
  })

  it('leave an eighth of the capacity to small requests of other callers, even if some callers use the rest for ever', async () => {
    const admission = open(() => 2_560)
    const held = [await admission.enter(1_600, a), await admission.enter(640, b)]
    expect(await isIn(admission.enter(640, { caller: 'waits' }))).toBe(false)
    const other = { caller: 'other' }
    const small = await admission.enter(10, other)
    // The reserve is only for callers without a request in progress, and only for small requests.
    expect(await isIn(admission.enter(10, other))).toBe(false)
    expect(await isIn(admission.enter(11, { caller: 'large' }))).toBe(false)
    small.leave()
    expect(await isIn(admission.enter(10, { caller: 'next' }))).toBe(true)
    for (const one of held) one.leave()
    await expect.poll(() => admission.report().waiting).toBe(0)
  })

  it('stop using the reserve when their small request grows', async () => {
    const admission = open(() => 2_560)
    await admission.enter(2_240, a)
    for (let i = 0; i < 32; i++) (await admission.enter(10, { caller: `grows ${i}` })).resize(20)
    for (let i = 0; i < 32; i++) expect(await isIn(admission.enter(10, { caller: `small ${i}` }))).toBe(true)
    expect(await isIn(admission.enter(10, { caller: 'one more' }))).toBe(false)
  })

  it('do not fill the queue for others: a request of the caller with the most waiting requests is refused', async () => {
    const admission = open(() => 10, { maxWaiting: 3 })
    const first = await admission.enter(10, a)
    const waiting = Array.from({ length: 3 }, () => admission.enter(1, a))
    await expect(admission.enter(1, a)).rejects.toMatchObject({ code: 'NOT_READY' })
    const other = admission.enter(1, b)
    await expect(waiting[2]).rejects.toMatchObject({ code: 'NOT_READY' })
    first.leave()
    expect([await isIn(waiting[0]!), await isIn(other)]).toEqual([true, true])
    expect(admission.report()).toMatchObject({ waiting: 0, refused: 2 })
  })
})
