import { resolveSpec } from '@storey/building'
import { sql } from '@storey/kit/database'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { listToProvision } from '../features/sandboxes/index.ts'
import { testControlPlane } from '../testing/control-plane.ts'
import { createCreationTurns } from './creation-turns.ts'

const LARGEST = { storeys: 50, spacesMin: 200, spacesMax: 200, equipmentDensity: 'dense' } as const
/** The seeding of a sandbox with this seed never ends. */
const HANGING = { ...LARGEST, seed: 'hang' }

describe('the reconciler, while sandboxes wait to be created,', () => {
  let test: Awaited<ReturnType<typeof testControlPlane>>
  beforeAll(async () => {
    test = await testControlPlane()
  })
  afterEach(async () => {
    for (const { key, sandboxId } of created.splice(0)) await remove(key, sandboxId)
  })
  afterAll(() => test.drop())

  const created: { key: string; sandboxId: string }[] = []
  const path = (sandboxId: string, rest = '') => `/api/v1/sandboxes/${sandboxId}${rest}`
  const remove = (key: string, sandboxId: string) => test.call({ key, path: path(sandboxId), method: 'DELETE' })
  async function reset(key: string, sandboxId: string): Promise<void> {
    expect((await test.call({ key, path: path(sandboxId, '/reset'), method: 'POST' })).status).toBe(202)
  }
  async function create(key: string, body: object = {}): Promise<string> {
    const { sandboxId } = await test.create(key, body)
    created.push({ key, sandboxId })
    return sandboxId
  }
  const stepOf = async (key: string, sandboxId: string): Promise<string> =>
    (await test.call({ key, path: path(sandboxId) })).json.progress.step
  const untilBegun = (key: string, sandboxId: string) =>
    expect.poll(() => stepOf(key, sandboxId), { timeout: 10_000 }).toBe('Half way')

  it('[SBX-71] creates and resets a small sandbox while large ones of two organizations take long', async () => {
    const [one, two, other] = [await test.newKey(), await test.newKey(), await test.newKey()]
    const first = await create(one, HANGING)
    await untilBegun(one, first)
    const second = await create(two, HANGING)
    const small = await create(other)
    expect(await test.waitWhileProvisioning(other, small)).toMatchObject({ status: 'ready' })
    await reset(other, small)
    expect(await test.waitWhileProvisioning(other, small)).toMatchObject({ status: 'ready' })
    expect(await stepOf(two, second)).toBe('Waiting')
    await remove(one, first)
    await untilBegun(two, second)
  })

  it('[SBX-71] resets a small sandbox while large ones of two organizations are reset', async () => {
    const [one, two, other] = [await test.newKey(), await test.newKey(), await test.newKey()]
    const large = [
      { key: one, sandboxId: await create(one, LARGEST) },
      { key: two, sandboxId: await create(two, LARGEST) },
    ]
    const small = await create(other)
    for (const { key, sandboxId } of [...large, { key: other, sandboxId: small }])
      expect(await test.waitWhileProvisioning(key, sandboxId)).toMatchObject({ status: 'ready' })
    const ids = large.map(({ sandboxId }) => sandboxId)
    await test.control.run(
      sql`update sandboxes set building = jsonb_set(building, '{seed}', '"hang"') where id = any(${ids})`,
    )
    await reset(one, ids[0]!)
    await untilBegun(one, ids[0]!)
    await reset(two, ids[1]!)
    await reset(other, small)
    expect(await test.waitWhileProvisioning(other, small)).toMatchObject({ status: 'ready' })
    expect(await stepOf(two, ids[1]!)).toBe('Waiting')
  })

  it('[SBX-71] creates a large sandbox although small ones of other organizations wait all the time', async () => {
    const keys = [await test.newKey(), await test.newKey(), await test.newKey()]
    const running = []
    for (const key of keys.slice(0, 2)) running.push(await create(key, { seed: 'hang' }))
    for (const [i, id] of running.entries()) await untilBegun(keys[i]!, id)
    const owner = await test.newKey()
    const large = await create(owner, HANGING)
    for (const key of keys) await create(key, { seed: 'hang' })
    await remove(keys[0]!, running[0]!)
    await untilBegun(owner, large)
  })

  it('[SBX-62] gives the next turn to another organization when the creation of a large sandbox ends', async () => {
    const [many, other, filler] = [await test.newKey(), await test.newKey(), await test.newKey()]
    const first = await create(many, HANGING)
    await untilBegun(many, first)
    const second = await create(many, HANGING)
    const ofOther = await create(other, HANGING)
    // When the creation of this sandbox begins, the reconciler knows of the sandboxes above.
    await untilBegun(filler, await create(filler, { seed: 'hang' }))
    await remove(many, first)
    await untilBegun(other, ofOther)
    expect(await stepOf(many, second)).toBe('Waiting')
    await remove(other, ofOther)
    await untilBegun(many, second)
  })

  it.each([
    ['small', 'the default', {}, 7],
    ['small', 'the default with the longest history', {}, 30],
    ['small', 'many rooms with a week of history', { storeys: 20, spacesMin: 50, spacesMax: 50 }, 7],
    ['large', 'many rooms with the longest history', { storeys: 20, spacesMax: 50 }, 30],
    ['large', 'few rooms on a large area', { storeys: 50, spacesMin: 3, spacesMax: 3, areaSqm: 10_000_000 }, 28],
    ['large', 'the largest building without history', LARGEST, 0],
    ['large', 'the largest', LARGEST, 30],
  ] as const)('[SBX-71] regards a sandbox as %s: %s', async (size, _, request, telemetryDays) => {
    const building = resolveSpec({ seed: 'a', ...request })
    const undone = test.control.transaction(async (tx) => {
      await tx.run(sql`insert into organizations (id, name, created_at) values ('org_1', 'One', now())`)
      await tx.run(sql`insert into developers (id, organization_id, created_at) values ('dev_1', 'org_1', now())`)
      await tx.run(sql`
        insert into sandboxes (id, developer_id, organization_id, tenant_id, name, slug, building, telemetry_days,
          status, created_at, requested_at, expires_at, request_hash)
        values ('sbx_1', 'dev_1', 'org_1', 'org_2', 'One', 'one', ${JSON.stringify(building)}, ${telemetryDays},
          'provisioning', now(), now(), now() + interval '14 days', '')`)
      for (const listed of ['large', 'small'] as const) {
        const ids = (await listToProvision(tx, { ids: [], locks: [] }, listed, 100)).map(({ id }) => id)
        expect(ids.includes('sbx_1')).toBe(listed === size)
      }
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
  })
})

describe('the slots for creations', () => {
  const large = (owner: string) => ({ owner, size: 'large' as const })
  const small = (owner: string) => ({ owner, size: 'small' as const })

  it('[SBX-71] are never all used by large sandboxes, nor all by one organization', () => {
    const turns = createCreationTurns(3)
    expect(turns.mayBegin(large('b'), [large('a')])).toBe(true)
    expect(turns.mayBegin(large('c'), [large('a'), large('b')])).toBe(false)
    expect(turns.mayBegin(small('c'), [large('a'), large('b')])).toBe(true)
    expect(turns.mayBegin(small('a'), [large('a'), small('a')])).toBe(false)
    expect(turns.mayBegin(small('d'), [small('a'), small('b'), small('c')])).toBe(false)
    expect(() => createCreationTurns(1)).toThrow(RangeError)
  })

  it('[SBX-62] are given to organizations in turn, separately for large and small sandboxes', () => {
    const turns = createCreationTurns(2)
    const nthOf = (id: string, ids: string[]) => ids.filter((other) => other[0] === id[0]).indexOf(id) + 1
    const order = (size: 'large' | 'small', ...ids: string[]) =>
      turns
        .order(
          size,
          ids.map((id) => ({ id, owner: id[0]!, nth: nthOf(id, ids) })),
        )
        .map(({ id }) => id)
    expect(order('small', 'a1', 'b1', 'a2', 'a3')).toEqual(['a1', 'b1', 'a2', 'a3'])
    turns.ended(small('a'))
    expect(order('small', 'a2', 'b1', 'a3')).toEqual(['b1', 'a2', 'a3'])
    expect(order('small', 'a2', 'c1', 'a3')).toEqual(['a2', 'c1', 'a3'])
    turns.ended(large('a'))
    expect(order('small', 'a2', 'c1', 'a3')).toEqual(['a2', 'c1', 'a3'])
    turns.ended(small('a'))
    // Organization `d` did not wait at the last call. It comes before organization `a`, which has just had its turn.
    expect(order('small', 'a3', 'c1', 'd1')).toEqual(['c1', 'd1', 'a3'])
    expect(order('large', 'a1', 'b1')).toEqual(['b1', 'a1'])
    expect(order('small')).toEqual([])
    expect(order('small', 'd1', 'a3')).toEqual(['d1', 'a3'])
  })
})
