import type { Operation } from '@storey/contract'
import { systemClock } from '@storey/kit/clock'
import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'
import type { GraphEdit } from './graph-edit.ts'
import { openGraph } from './open-graph.ts'

let stack: TestStack
let buildingId: string
let path: string
let spaces: { id: string; code: string; storeyId: string }[]
beforeAll(async () => {
  stack = await startTestStack()
  buildingId = stack.seeded.buildingId
  path = `/api/v1/buildings/${buildingId}`
  spaces = (await stack.get(`${path}/spaces?limit=1000`)).body.data
  expect(spaces.length).toBeGreaterThan(20)
})
afterAll(() => stack.close())

/**
 * Gives every space of the building a polygon, so that all spaces together have this many corners. Writes to the
 * database directly, because a test building has few spaces, and the API accepts only 2,000 corners for each of them.
 */
async function drawCorners(total: number): Promise<void> {
  const polygon = `{"polygon": [${Array(Math.ceil(total / spaces.length))
    .fill('[0,1]')
    .join(',')}], `
  await stack.db.run(sql`
    update nodes set state = (${polygon}::text || substr((state::jsonb - 'polygon')::text, 2))::json
    where kind = 'space' and building_id = ${buildingId}`)
}
const TOO_MANY_CORNERS = 2_400_000
const MANY_CORNERS = 240_000

const updates = (): Operation[] =>
  spaces.map(({ id }) => ({ op: 'update', kind: 'space', id, data: { status: 'vacant' } }))
const draft = (operations: Operation[]) => stack.send('POST', `${path}/changesets`, { title: 'A change', operations })
const rows = () => spaces.map(({ code, storeyId }) => ({ code, storeyId, spaceType: 'other', name: 'Room' }))
const importRows = (changes: object) =>
  stack.send('POST', `${path}/import/spaces`, { sourceSystem: 'cafm', matchBy: 'code', spaces: rows(), ...changes })

describe('an edit whose nodes would take too much memory', () => {
  const refusal = {
    status: 409,
    body: { code: 'CONFLICT', detail: expect.stringMatching(/take \d+ MB of memory, and at most 160 MB/) },
  }

  it('[GRF-35] is refused before the nodes are read, and fewer nodes are accepted', async () => {
    const drafted = await draft(updates())
    expect(drafted.status).toBe(201)
    await drawCorners(TOO_MANY_CORNERS)
    expect(await draft(updates())).toMatchObject(refusal)
    expect(await stack.get(`${path}/changesets/${drafted.body.id}/diff`)).toMatchObject(refusal)
    expect(await importRows({})).toMatchObject(refusal)
    expect(await importRows({ dryRun: true, listChanges: true })).toMatchObject(refusal)
    const element = {
      name: 'Fan',
      elementTypeSlug: 'ahu',
      storeyId: spaces[0]!.storeyId,
      serves: spaces.map(({ id }) => id),
    }
    expect(await stack.send('POST', `${path}/elements`, element)).toMatchObject(refusal)
    expect((await draft(updates().slice(0, 2))).status).toBe(201)
    await drawCorners(0)
    expect((await draft(updates())).status).toBe(201)
  })

  it('[GRF-35] is accepted if it reverts an applied changeset', async () => {
    await drawCorners(1_000_000)
    const made = await draft(updates())
    const one = `${path}/changesets/${made.body.id}`
    await stack.send('POST', `${one}/submit`)
    await stack.send('POST', `${one}/review`, { decision: 'approve' })
    expect(await stack.send('POST', `${one}/apply`)).toMatchObject({ status: 200, body: { state: 'applied' } })
    // The diff has every node twice, before and after.
    expect(await stack.get(`${one}/diff`)).toMatchObject(refusal)
    expect(await stack.send('POST', `${one}/revert`)).toMatchObject({ status: 200, body: { state: 'reverted' } })
  })
})

describe('large edits', () => {
  const held = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    return { until: promise, end: resolve }
  }
  const load = (edit: GraphEdit) => edit.load(spaces.map(({ id }) => id))

  it('[GRF-35] of a stack run one at a time, also if one of them holds the lock of the building', async () => {
    await drawCorners(MANY_CORNERS)
    const graph = openGraph(stack.db, systemClock)
    const order: string[] = []
    const [first, hasStarted] = [held(), held()]
    const preview = graph.preview(buildingId, async (edit) => {
      await load(edit)
      hasStarted.end()
      await first.until
      order.push('preview')
    })
    await hasStarted.until
    const hasLocked = held()
    const change = graph.change(buildingId, async (edit) => {
      hasLocked.end()
      await load(edit)
      order.push('change')
    })
    await hasLocked.until
    // This edit waits for the lock that the waiting edit holds.
    const other = graph.change(buildingId, async (edit) => {
      await load(edit)
      order.push('other change')
    })
    await graph.preview(buildingId, async (edit) => {
      await edit.load([spaces[0]!.id])
      order.push('small preview')
    })
    first.end()
    await Promise.all([preview, change, other])
    expect(order).toEqual(['small preview', 'preview', 'change', 'other change'])
  })

  it('[GRF-35] release their memory if they fail', async () => {
    await drawCorners(MANY_CORNERS)
    const graph = openGraph(stack.db, systemClock)
    const failed = graph.preview(buildingId, async (edit) => {
      await load(edit)
      throw new Error('failed')
    })
    await expect(failed).rejects.toThrow('failed')
    expect(await graph.preview(buildingId, async (edit) => load(edit))).toBeUndefined()
  })

  it('[GRF-35] update nodes with several statements, so that their texts do not take much memory together', async () => {
    await drawCorners(900_000)
    const lengths: number[] = []
    const at = new Date()
    await openGraph(stack.db, systemClock).change(buildingId, async (edit) => {
      await load(edit)
      for (const { id } of spaces) edit.update('space', id, { name: `Room ${at.getTime()}` })
      const run = vi.spyOn(edit.tx, 'run')
      await edit.commit({ actor: 'test', summary: 'test' })
      for (const [statement] of run.mock.calls) {
        lengths.push(...statement.toQuery().values.map((value) => (typeof value === 'string' ? value.length : 0)))
      }
    })
    expect(Math.max(...lengths)).toBeGreaterThan(1_000_000)
    expect(Math.max(...lengths)).toBeLessThan(5_000_000)
    const { count } = (await stack.db.row<{ count: number }>(
      sql`select count(*) as count from nodes where state->>'name' = ${`Room ${at.getTime()}`}`,
    ))!
    expect(count).toBe(spaces.length)
  })
})
