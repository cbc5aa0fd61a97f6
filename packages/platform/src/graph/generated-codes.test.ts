import { systemClock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeBodies } from '../testing/node-bodies.ts'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'
import { openGraph } from './open-graph.ts'

let stack: TestStack
let base: string
beforeAll(async () => {
  stack = await startTestStack()
  base = `/api/v1/buildings/${stack.seeded.buildingId}`
})
afterAll(() => stack.close())

/** Imports spaces with the codes ROOM-<from> to ROOM-<to>. */
async function useCodes(from: number, to: number): Promise<void> {
  const { storeyId } = nodeBodies(stack).spaces as { storeyId: string }
  const rooms = Array.from({ length: to - from + 1 }, (_, i) => {
    const code = `ROOM-${from + i}`
    return { externalId: code, storeyId, spaceType: 'storage', name: code, code }
  })
  const answer = await stack.send('POST', `${base}/import/spaces`, { sourceSystem: 'cafm', spaces: rooms })
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { created: rooms.length } })
}

/** Counts the statements that return rows. */
function counted(db: Database): { db: Database; count(): number } {
  let count = 0
  const transaction: Database['transaction'] = (work, limits) =>
    db.transaction((tx) => {
      const rows: typeof tx.rows = (statement) => {
        count++
        return tx.rows(statement)
      }
      return work({ ...tx, rows })
    }, limits)
  return { db: { ...db, transaction }, count: () => count }
}

async function addRooms(db: Database, count: number): Promise<string[]> {
  const made = await openGraph(db, systemClock).change(stack.seeded.buildingId, (edit) => {
    for (let i = 0; i < count; i++) edit.create('space', nodeBodies(stack).spaces as never)
    return edit.commit({ actor: 'test', summary: 'test' })
  })
  return made!.changes.map(({ after }) => after!.code)
}

describe('a generated code', () => {
  it('[GRF-34] is found with a few queries if a client has used thousands of codes', async () => {
    const [first] = await addRooms(stack.db, 1)
    const last = Number(first!.slice('ROOM-'.length))
    await useCodes(last + 1, last + 3_000)
    const few = counted(stack.db)
    expect(await addRooms(few.db, 1)).toEqual([`ROOM-${last + 3_001}`])
    expect(few.count()).toBeLessThan(30)
    // The next code follows directly: the numbers that were only asked for are still available.
    expect(await addRooms(stack.db, 1)).toEqual([`ROOM-${last + 3_002}`])
    await useCodes(last + 3_003, last + 4_000)
    const codes = await addRooms(stack.db, 10)
    expect(codes.sort()).toEqual(Array.from({ length: 10 }, (_, i) => `ROOM-${last + 4_001 + i}`))
  })

  it('[GRF-34] is unique if some of the next codes are used', async () => {
    const [first] = await addRooms(stack.db, 1)
    const last = Number(first!.slice('ROOM-'.length))
    for (const gap of [1, 2, 5, 9, 14]) await useCodes(last + gap, last + gap)
    const codes = await addRooms(stack.db, 12)
    expect(new Set(codes).size).toBe(12)
    const next = await addRooms(stack.db, 1)
    expect(codes).not.toContain(next[0])
  })
})
