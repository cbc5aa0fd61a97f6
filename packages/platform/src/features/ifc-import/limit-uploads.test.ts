import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { startTestStack } from '../../testing/test-stack.ts'
import { countWaiting, insertImport } from './imports.store.ts'
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

describe('uploads that are complete', () => {
  it('[QTA-01] become imports up to the limit, even if they are complete at the same time', async () => {
    const { db, seeded, close } = await startTestStack()
    const { buildingId } = seeded
    const made = { buildingId, replace: false, actor: 'test', fileName: null, sizeBytes: 1, createdAt: new Date() }
    const insert = () => insertImport(db, { ...made, id: randomUUID() })
    const results = await Promise.allSettled(Array.from({ length: 8 }, insert))
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason)
    expect(refused).toMatchObject(
      Array(3).fill({ status: 429, members: { quota: 'importsWaiting', limit: 5, used: 5 } }),
    )
    expect(await countWaiting(db, buildingId)).toBe(5)
    await close()
  })
})
