import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

let stack: TestStack
const PATH = '/api/v1/settings'
const DAY_MS = 86_400_000
beforeAll(async () => {
  stack = await startTestStack({}, { telemetryDays: 3, until: new Date().toISOString() })
})
afterAll(() => stack.close())

const days = async () =>
  (await stack.db.rows<{ day: string }>(sql`select distinct day::text as day from observation_chunks order by 1`)).map(
    ({ day }) => day,
  )

describe('the settings of a sandbox', () => {
  it('keep all history by default', async () => {
    expect((await stack.get(PATH)).body).toEqual({ telemetryRetentionDays: null })
  })

  it('[HIS-23] delete only days of history that are older than the retention', async () => {
    const before = await days()
    expect(before.length).toBeGreaterThan(2)
    // A stack that has just started does not delete by its own clock. It uses a time that was recorded at least ten
    // minutes ago (`retention.ts`).
    const confirmed = new Date(Date.now() - 600_000)
    await stack.db.run(sql`insert into telemetry_upkeep (seen_at) values (${confirmed})
      on conflict (only_row) do update set seen_at = excluded.seen_at`)
    const { status, body } = await stack.send('PATCH', PATH, { telemetryRetentionDays: 2 })
    expect({ status, body }).toEqual({ status: 200, body: { telemetryRetentionDays: 2 } })
    const first = new Date(confirmed.getTime() - DAY_MS).toISOString().slice(0, 10)
    const kept = before.filter((day) => day >= first)
    for (let i = 0; i < 200 && (await days()).length > kept.length; i++) await new Promise((r) => setTimeout(r, 50))
    expect(await days()).toEqual(kept)
    expect((await stack.send('PATCH', PATH, { telemetryRetentionDays: null })).body.telemetryRetentionDays).toBeNull()
  })

  it.each([{}, { telemetryRetentionDays: 0 }, { telemetryRetentionDays: '7' }, { retention: 7 }])(
    'refuse %j',
    async (body) => {
      expect((await stack.send('PATCH', PATH, body)).status).toBe(400)
    },
  )

  it('require a credential', async () => {
    expect((await stack.get(PATH, null)).status).toBe(401)
  })
})
