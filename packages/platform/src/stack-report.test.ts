import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { holdFolding } from './testing/hold-folding.ts'
import { type Answer, startTestStack, type TestStack } from './testing/test-stack.ts'

let stack: TestStack
let path: string
beforeAll(async () => {
  stack = await startTestStack()
  path = `/api/v1/buildings/${stack.seeded.buildingId}`
})
afterAll(() => stack.close())

const queues = async () => (await stack.report()).queues!
const countOf = (answers: readonly Answer[], expected: number) =>
  answers.filter(({ status }) => status === expected).length

describe('the report of a stack', () => {
  it('[HST-75] has the ingest requests that wait for folding, and those that were refused meanwhile', async () => {
    const { data } = (await stack.get(`${path}/points?limit=1`)).body
    const ingest = (second: number): Promise<Answer> => {
      const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
      return stack.send('POST', `${path}/telemetry/observations`, {
        observations: [{ pointId: data[0].id, value: '1', timestamp }],
      })
    }
    const held = await holdFolding(stack.db)
    await stack.restart()
    expect((await queues()).folding).toEqual({ waiting: 0, refused: 0 })
    const sent = Array.from({ length: 129 }, (_, i) => ingest(i))
    await expect.poll(async () => (await queues()).folding).toEqual({ waiting: 128, refused: 1 })
    expect((await stack.report()).requests).toMatchObject({ waiting: 0, refused: 0 })
    await held.release()
    await stack.folded()
    const answers = await Promise.all(sent)
    expect([countOf(answers, 202), countOf(answers, 503)]).toEqual([128, 1])
    expect((await queues()).folding).toEqual({ waiting: 0, refused: 1 })
  })

  it('[HST-75] has the large edits that wait for another one', async () => {
    const { data: spaces } = (await stack.get(`${path}/spaces?limit=1000`)).body
    const polygon = `{"polygon": [${Array(Math.ceil(240_000 / spaces.length))
      .fill('[0,1]')
      .join(',')}], `
    await stack.db.run(sql`
      update nodes set state = (${polygon}::text || substr((state::jsonb - 'polygon')::text, 2))::json
      where kind = 'space' and building_id = ${stack.seeded.buildingId}`)
    const rows = spaces.map(({ code, storeyId }: { code: string; storeyId: string }) => ({
      ...{ code, storeyId, spaceType: 'other', name: 'Room' },
    }))
    const change = (more: object) =>
      stack.send('POST', `${path}/import/spaces`, { sourceSystem: 'cafm', matchBy: 'code', spaces: rows, ...more })

    const isLocked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const locked = stack.db.transaction(async (tx) => {
      await tx.run(sql`select 1 from nodes where id = ${spaces[0].id} for update`)
      isLocked.resolve()
      await release.promise
    })
    await isLocked.promise
    // The first edit has its turn, and waits for the lock of a node when it writes.
    const first = change({})
    const isBlocked = () =>
      stack.db.row(sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    await expect.poll(isBlocked).toBeDefined()
    expect((await queues()).edits).toEqual({ waiting: 0, refused: 0 })
    const second = change({ dryRun: true })
    await expect.poll(async () => (await queues()).edits).toEqual({ waiting: 1, refused: 0 })
    release.resolve()
    await locked
    expect([(await first).status, (await second).status]).toEqual([200, 200])
    expect((await queues()).edits).toEqual({ waiting: 0, refused: 0 })
  })
})
