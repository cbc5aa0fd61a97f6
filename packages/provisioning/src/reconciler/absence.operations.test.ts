import { identifier, sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testControlPlane } from '../testing/control-plane.ts'

const MINUTE_MS = 60_000

describe('a removal or reset that was in progress when the backup of a restored control database was created', () => {
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let key: string
  beforeAll(async () => {
    test = await testControlPlane({ tickMs: 50 })
    key = await test.newKey()
  })
  afterAll(() => test.drop())

  async function newSandbox(): Promise<string> {
    const { sandboxId } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    return sandboxId
  }
  const databasesOf = async (sandboxId: string) => {
    const pattern = `%${sandboxId}%`
    const rows = await test.control.rows<{ name: string }>(
      sql`select datname as name from pg_database where datname like ${pattern} order by datname`,
    )
    return rows.map(({ name }) => name.slice(name.indexOf(sandboxId)))
  }
  const requestRemoval = (id: string) =>
    test.control.run(sql`update sandboxes set removing_at = ${test.clock.now()} where id = ${id}`)
  const requestReset = (id: string) =>
    test.control.run(
      sql`update sandboxes set status = 'provisioning', requested_at = ${test.clock.now()} where id = ${id}`,
    )

  /** Starts the service as if a backup had been restored that is this old and contains what `request` requests. */
  async function startFromBackup(ageMs: number, request: () => Promise<unknown>): Promise<void> {
    await test.stop()
    test.clock.advance(1_000)
    await test.control.run(sql`update installation set trusted_at = ${test.clock.now()}`)
    await request()
    test.clock.advance(ageMs)
    await test.start()
  }
  const isGone = (id: string) =>
    expect.poll(() => test.control.run(sql`select 1 from sandboxes where id = ${id}`)).toBe(0)

  it('[SBX-80] keeps a complete database, which may have been used since the backup', async () => {
    const [removed, reset, restored] = [await newSandbox(), await newSandbox(), await newSandbox()]
    await startFromBackup(5 * MINUTE_MS, async () => {
      await requestRemoval(removed)
      await requestReset(reset)
      // An operator has restored the database without its comment.
      const { tag } = (await test.control.row<{ tag: string }>(sql`select tag from installation`))!
      await test.control.run(sql`comment on database ${identifier(`storey_${tag}_${restored}`)} is null`)
      await requestReset(restored)
    })
    await isGone(removed)
    expect(await databasesOf(removed)).toEqual([removed])
    expect(await test.plane().reconciler.sweep()).toMatchObject([
      { id: removed, kinds: ['database', 'role', 'folder'] },
    ])
    expect(await databasesOf(removed)).toEqual([removed])
    expect(await test.waitWhileProvisioning(key, reset)).toMatchObject({ status: 'ready' })
    expect(await databasesOf(reset)).toEqual([reset, expect.stringContaining('_replaced_')])
    expect(await test.waitWhileProvisioning(key, restored)).toMatchObject({ status: 'ready' })
    expect(await databasesOf(restored)).toEqual([restored, expect.stringContaining('_replaced_')])
    // Removals that are requested after the start keep no database, even if a reset of the sandbox has failed.
    await test.control.run(sql`update sandboxes set status = 'failed', keeps_database = true where id = ${restored}`)
    await test.call({ key, path: `/api/v1/sandboxes/${restored}`, method: 'DELETE' })
    await isGone(restored)
    expect(await databasesOf(restored)).toEqual([])
    await test.call({ key, path: `/api/v1/sandboxes/${reset}`, method: 'DELETE' })
    await isGone(reset)
    expect(await databasesOf(reset)).toEqual([])
  })

  it('[SBX-80] keeps nothing if it was requested just before the start', async () => {
    const removed = await newSandbox()
    await startFromBackup(0, async () => {
      test.clock.advance(60 * MINUTE_MS)
      await requestRemoval(removed)
    })
    await isGone(removed)
    expect(await databasesOf(removed)).toEqual([])
  })

  it('[SBX-80] keeps nothing if the backup is younger than three minutes, as at a restart', async () => {
    const [removed, reset] = [await newSandbox(), await newSandbox()]
    await startFromBackup(MINUTE_MS, async () => {
      await requestRemoval(removed)
      await requestReset(reset)
    })
    await isGone(removed)
    expect(await databasesOf(removed)).toEqual([])
    expect(await test.waitWhileProvisioning(key, reset)).toMatchObject({ status: 'ready' })
    expect(await databasesOf(reset)).toEqual([reset])
  })
})
