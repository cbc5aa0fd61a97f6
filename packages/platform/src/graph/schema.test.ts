import { isUniqueViolation, migrate, openDatabase, readMigrations, sql, type Tx } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { testServerUrl } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '../migrations.ts'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack()
})
afterAll(() => stack.close())

const NEW_ID = '0191b6a0-1111-7000-8000-000000000000'

class Undo extends Error {}

/** Runs in a transaction that is rolled back. */
async function rolledBack(work: (tx: Tx) => Promise<void>): Promise<void> {
  const done = stack.db.transaction(async (tx) => {
    await work(tx)
    throw new Undo()
  })
  await expect(done).rejects.toBeInstanceOf(Undo)
}

describe('the table of nodes', () => {
  it('allows a code once in a building, across kinds', async () => {
    const { buildingId } = stack.seeded
    const code = stack.building.spaces[0]!.code
    const insert = (building: string) =>
      sql`insert into nodes (id, building_id, kind, code, state) values (${NEW_ID}, ${building}, 'point', ${code}, '{}')`
    await expect(stack.db.run(insert(buildingId))).rejects.toSatisfy((err) => isUniqueViolation(err, 'nodes_code_key'))
  })

  it('allows an external id of a source system once in a building, across kinds', async () => {
    const [space, storey] = [stack.building.spaces[0]!, stack.building.storeys[0]!]
    const add = (sourceSystem: string, externalId: string) => sql`
      insert into node_external_ids (node_id, position, building_id, source_system, external_id)
      values (${stack.idOf(storey.key)}, 1, ${stack.seeded.buildingId}, ${sourceSystem}, ${externalId})`
    await expect(stack.db.run(add('ifc', space.globalId))).rejects.toSatisfy((err) =>
      isUniqueViolation(err, 'node_external_ids_triple_key'),
    )
    await rolledBack(async (tx) => {
      expect(await tx.run(add('my-system', space.globalId))).toBe(1)
    })
  })

  it('copies a new code to the table of the kind, such as spaces, where the code cannot be changed', async () => {
    const id = stack.idOf(stack.building.spaces[0]!.key)
    await rolledBack(async (tx) => {
      await tx.run(sql`update nodes set code = 'RENAMED' where id = ${id}`)
      expect(await tx.row(sql`select code from spaces where id = ${id}`)).toEqual({ code: 'RENAMED' })
    })
    await expect(stack.db.run(sql`update spaces set code = 'ASTRAY' where id = ${id}`)).rejects.toThrow(/foreign key/)
  })

  it('refuses to delete a node that has children, and deletes the rows of a node in other tables with the node', async () => {
    const point = stack.idOf(stack.building.points[0]!.key)
    for (const { key } of [stack.building.storeys[0]!, stack.building.spaces[0]!]) {
      await expect(stack.db.run(sql`delete from nodes where id = ${stack.idOf(key)}`)).rejects.toThrow(/foreign key/)
    }
    await rolledBack(async (tx) => {
      await tx.run(sql`delete from nodes where id = ${point}`)
      expect(await tx.rows(sql`select id from points where id = ${point}`)).toEqual([])
      expect(await tx.rows(sql`select node_id from node_external_ids where node_id = ${point}`)).toEqual([])
    })
  })

  it('numbers the points of all buildings consecutively from 1', async () => {
    const rows = await stack.db.rows<{ number: number }>(sql`select number from points order by number`)
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, i) => i + 1))
  })
})

describe('the change log', () => {
  it('[GEN-21] starts with the seeded graph as revision 1', async () => {
    const rows = await stack.db.rows(
      sql`select revision, actor, changeset_id from revisions where building_id = ${stack.seeded.buildingId}`,
    )
    expect(rows).toEqual([{ revision: 1, actor: 'seed', changeset_id: null }])
  })

  it.each([
    ['update revisions set actor = $$nobody$$', 'revisions'],
    ['delete from revisions', 'revisions'],
    ['truncate node_changes', 'node_changes'],
    ['update node_changes set after = null', 'node_changes'],
  ])('refuses %s', async (statement) => {
    await expect(stack.db.session(({ client }) => client.query(statement))).rejects.toThrow(/append-only/)
  })
})

describe('the migrations', () => {
  it('run as a role that is no superuser, and the owner of a clone of the database may change its tables', async () => {
    const server = openDatabase({ url: testServerUrl(), log: silentLog, applicationName: 'test', maxConnections: 1 })
    const migrations = readMigrations(MIGRATIONS_DIRECTORY)
    const at = (database: string, user?: string) => {
      const url = new URL(testServerUrl())
      url.pathname = `/${database}`
      if (user) [url.username, url.password] = [user, 'tenant']
      return openDatabase({ url: url.href, log: silentLog, applicationName: 'test', maxConnections: 1 })
    }
    await server.run(sql`create role migrations_tenant login password 'tenant'`)
    await server.run(sql`create database migrations_template`)
    const template = at('migrations_template')
    await template.session(async (session) => {
      await session.run(sql`set role pg_database_owner`)
      expect(await migrate(session, migrations)).toBe(migrations.length)
    })
    await template.close()
    await server.run(sql`create database migrations_clone template migrations_template owner migrations_tenant`)
    const clone = at('migrations_clone', 'migrations_tenant')
    try {
      expect(await clone.session((session) => migrate(session, migrations))).toBe(0)
      await clone.run(sql`insert into organizations (id, name) values ('org_x', 'X')`)
      await clone.run(sql`alter table sites add column note text`)
    } finally {
      await clone.close()
      await server.run(sql`drop database migrations_clone`)
      await server.run(sql`drop database migrations_template`)
      await server.run(sql`drop role migrations_tenant`)
      await server.close()
    }
  })
})
