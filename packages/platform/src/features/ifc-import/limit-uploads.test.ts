import { describe, expect, it } from 'vitest'
import { createUploadLimit } from './limit-uploads.ts'

describe('uploads in progress', () => {
  it('[QTA-01] count as waiting imports until they are complete or aborted', async () => {
    const arrivals = createUploadLimit()
    const ends: (() => void)[] = []
    const hold = (building = 'a') =>
      arrivals.hold(building, 2, () => new Promise<void>((resolve) => ends.push(resolve)))
    const held = [hold(), hold(), hold()]
    const refusal = { status: 429, members: { quota: 'importsWaiting', limit: 5, used: 5 } }
    await expect(hold()).rejects.toMatchObject(refusal)
    held.push(hold('b'))
    ends[0]!()
    await held[0]
    held.push(hold())
    await expect(hold()).rejects.toMatchObject(refusal)
    for (const end of ends) end()
    await Promise.all(held)
    await expect(arrivals.hold('a', 4, () => Promise.reject(new Error('cut off')))).rejects.toThrow('cut off')
    await arrivals.hold('a', 4, async () => undefined)
  })
})
