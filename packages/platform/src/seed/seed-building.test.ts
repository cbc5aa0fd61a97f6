import { fingerprint, generateBuilding } from '@storey/building'
import { readMigrations, type Sql, sql } from '@storey/kit/database'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '../migrations.ts'
import { seedRequest } from '../testing/test-stack.ts'
import { place, seedBuilding } from './seed-building.ts'

const open: TestDatabase[] = []
afterEach(async () => {
  for (const test of open.splice(0)) await test.drop()
})

async function database(): Promise<TestDatabase> {
  const test = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
  open.push(test)
  return test
}

const TABLES = ['organizations', 'sites', 'buildings', 'nodes', 'node_external_ids', 'storeys', 'spaces']
const MORE_TABLES = ['elements', 'points', 'revisions', 'node_changes']

/** The rows of all tables to which the seeding writes the building, as text. */
async function content({ database }: TestDatabase): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {}
  for (const table of [...TABLES, ...MORE_TABLES]) {
    const { rows } = await database.session(({ client }) => client.query(`select t::text from ${table} t order by 1`))
    tables[table] = rows.map((row) => row.t)
  }
  return tables
}

const constraints: Sql = sql`
  select conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) as text from pg_constraint
  where connamespace = 'public'::regnamespace
  union select indexdef from pg_indexes where schemaname = 'public' order by 1`

describe('seedBuilding', () => {
  it('writes a row for each node of the generated building, and returns its ids and fingerprint', async () => {
    const test = await database()
    const request = seedRequest()
    const building = generateBuilding(request.building)
    const result = await seedBuilding(test.database, request, () => undefined)
    const { idOf } = place(request)
    expect(result).toEqual({
      siteId: idOf(building.site.key),
      buildingId: idOf(building.building.key),
      fingerprint: fingerprint(building),
    })
    const { storeys, spaces, elements, points } = building
    const nodes = storeys.length + spaces.length + elements.length + points.length
    const counts = Object.entries(await content(test)).map(([table, rows]) => [table, rows.length])
    expect(Object.fromEntries(counts)).toEqual({
      organizations: 1,
      sites: 1,
      buildings: 1,
      nodes,
      node_external_ids: nodes,
      storeys: storeys.length,
      spaces: spaces.length,
      elements: elements.length,
      points: points.length,
      revisions: 1,
      node_changes: 0,
    })
  })

  it('numbers the points in the order in which lists return them', async () => {
    const test = await database()
    await seedBuilding(test.database, seedRequest(), () => undefined)
    const inOrderOfCode = await test.database.rows<{ number: number }>(sql`select number from points order by code`)
    expect(inOrderOfCode.map(({ number }) => number)).toEqual(inOrderOfCode.map((_, i) => i + 1))
  })

  it('[GEN-01, SBX-44] writes the same rows for the same sandbox and seed in another database', async () => {
    const [one, two] = [await database(), await database()]
    for (const test of [one, two]) await seedBuilding(test.database, seedRequest(), () => undefined)
    expect(await content(one)).toEqual(await content(two))
  })

  it('[GEN-16] writes different ids and the same GlobalIds for another sandbox with the same seed', async () => {
    const [one, two] = [await database(), await database()]
    const first = await seedBuilding(one.database, seedRequest(), () => undefined)
    const second = await seedBuilding(two.database, seedRequest({ sandboxId: 'sbx_other' }), () => undefined)
    expect(first.fingerprint).toBe(second.fingerprint)
    const ids = async (test: TestDatabase) =>
      test.database.rows<{ id: string; external_id: string }>(
        sql`select node_id as id, external_id from node_external_ids order by external_id`,
      )
    const [a, b] = [await ids(one), await ids(two)]
    expect(a.map((row) => row.external_id)).toEqual(b.map((row) => row.external_id))
    expect(new Set([...a, ...b].map((row) => row.id)).size).toBe(a.length + b.length)
  })

  it('writes the same code and external ids of a node into all tables', async () => {
    const test = await database()
    await seedBuilding(test.database, seedRequest(), () => undefined)
    const astray = await test.database.rows(sql`
      select n.id from nodes n
      left join (
        select id, 'storey' as kind, code, external_ids from storeys
        union all select id, 'space', code, external_ids from spaces
        union all select id, 'element', code, external_ids from elements
        union all select id, 'point', code, external_ids from points
      ) r on r.id = n.id and r.kind = n.kind and r.code = n.code and r.external_ids::jsonb = (
        select jsonb_agg(jsonb_build_object('sourceSystem', source_system, 'externalId', external_id) order by position)
        from node_external_ids x where x.node_id = n.id)
      where r.id is null`)
    expect(astray).toEqual([])
  })

  it('restores every index and constraint of the migration', async () => {
    const test = await database()
    const before = await test.database.rows(constraints)
    await seedBuilding(test.database, seedRequest(), () => undefined)
    expect(await test.database.rows(constraints)).toEqual(before)
  })

  it('reports increasing progress', async () => {
    const test = await database()
    const steps: [number, string][] = []
    await seedBuilding(test.database, seedRequest(), (percent, step) => steps.push([percent, step]))
    const percents = steps.map(([percent]) => percent)
    expect(percents).toEqual([...percents].sort((a, b) => a - b))
    expect(percents.every((p) => Number.isInteger(p) && p >= 0 && p <= 100)).toBe(true)
    expect(steps[0]).toEqual([0, 'Generating the building'])
    expect(steps.map(([, step]) => step)).toContain('Writing storeys: 3')
  })

  it('refuses a database that already has a building, and changes nothing', async () => {
    const test = await database()
    await seedBuilding(test.database, seedRequest(), () => undefined)
    const before = await content(test)
    await expect(seedBuilding(test.database, seedRequest(), () => undefined)).rejects.toThrow(/already/)
    expect(await content(test)).toEqual(before)
  })

  it('writes nothing when it fails in the middle', async () => {
    const test = await database()
    const before = await test.database.rows(constraints)
    const failing = seedBuilding(test.database, seedRequest(), (_, step) => {
      if (step.includes('points')) throw new Error('the seeding was interrupted')
    })
    await expect(failing).rejects.toThrow('the seeding was interrupted')
    expect(Object.values(await content(test)).flat()).toEqual([])
    expect(await test.database.rows(constraints)).toEqual(before)
  })
})
