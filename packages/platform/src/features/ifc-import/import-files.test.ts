import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { globalIdFor, ifcFile } from '@storey/ifc/testing'
import { systemClock } from '@storey/kit/clock'
import { type Database, sql } from '@storey/kit/database'
import { type Log, silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openGraph } from '../../graph/open-graph.ts'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'
import { fetchFile, storeFile } from './import-files.store.ts'
import { createImportQueue, type ImportQueue, type ImportQueueOptions } from './import-queue.ts'

const STEP = { 'content-type': 'application/x-step' }
const house = (name: string) =>
  ifcFile({
    ...{ schema: 'IFC4', lengthUnit: 'METRE', discipline: name },
    storeys: [{ name, elevation: 0, globalId: globalIdFor(name, 'level'), spaces: [] }],
  })

describe('the file of an import, if several processes serve the sandbox', () => {
  let stack: TestStack
  let base: string
  beforeAll(async () => {
    stack = await startTestStack({ isShared: true })
    base = `/api/v1/buildings/${stack.seeded.buildingId}`
  })
  afterAll(() => stack.close())

  const upload = async (file: string | Buffer) =>
    (await stack.send('POST', `${base}/import/ifc`, file, undefined, STEP)).body.importId as string
  const find = async (id: string) => (await stack.get(`${base}/imports/${id}`)).body
  const pieces = async () =>
    (await stack.db.row<{ count: number }>(sql`select count(*) as count from import_files`))!.count

  async function untilEnded(id: string) {
    for (;;) {
      const found = await find(id)
      if (found.status === 'succeeded' || found.status === 'failed') return found
      await sleep(100)
    }
  }

  it('[IMP-36] is neither in the database nor on the disk after the import has ended', async () => {
    const id = await upload(house('one'))
    expect(await untilEnded(id)).toMatchObject({ status: 'succeeded' })
    expect(await pieces()).toBe(0)
    await expect.poll(() => readdirSync(join(stack.folder, 'imports'))).toEqual([])
    const refused = await upload('no model')
    expect(await untilEnded(refused)).toMatchObject({ status: 'failed' })
    expect(await pieces()).toBe(0)
  })

  it('[IMP-36] can be read by a process that did not receive it', async () => {
    // An import of an earlier process is still leased, so the stack cannot start the uploaded import.
    const own = await startTestStack({ isShared: true })
    const folder = temporaryFolder('storey-imports')
    const [building] = [own.seeded.buildingId]
    await own.db.run(sql`
      insert into imports (id, building_id, status, replace, actor, size_bytes, created_at, lease_holder, leased_until)
      values (gen_random_uuid(), ${building}, 'running', false, 'test', 1, now(), gen_random_uuid(), now() + interval '1 hour')`)
    const answer = await own.send('POST', `/api/v1/buildings/${building}/import/ifc`, house('two'), undefined, STEP)
    const id = answer.body.importId as string
    expect(existsSync(join(own.folder, 'imports', `${id}.ifc`))).toBe(false)
    await own.db.run(sql`delete from imports where leased_until is not null`)
    const { db } = own
    const parts = { db, graph: openGraph(db, systemClock), clock: systemClock, log: silentLog, folder }
    const other = createImportQueue({
      ...{ ...parts, serviceRun: 'bbbbbbbb', keepsFilesInDatabase: true },
      detachData: async () => async () => undefined,
    })
    await other.start()
    await expect
      .poll(async () => (await own.get(`/api/v1/buildings/${building}/imports/${id}`)).body.status)
      .toBe('succeeded')
    await expect.poll(() => readdirSync(folder)).toEqual([])
    await other.close()
    await own.close()
  })

  it('[IMP-36] is stored and read unchanged, whatever its size', async () => {
    const bytes = randomBytes(3 * 1024 * 1024 + 17)
    await stack.db.run(sql`
      insert into imports (id, building_id, status, replace, actor, size_bytes, created_at)
      values ('00000000-0000-4000-8000-000000000001', ${stack.seeded.buildingId}, 'succeeded', false, 'test', 1, now())`)
    const path = join(temporaryFolder('storey-imports'), 'file')
    writeFileSync(path, bytes)
    await stack.db.transaction((tx) => storeFile(tx, '00000000-0000-4000-8000-000000000001', path))
    expect(await fetchFile(stack.db, '00000000-0000-4000-8000-000000000001', `${path}-2`)).toBe(true)
    expect(readFileSync(`${path}-2`).equals(bytes)).toBe(true)
    expect(await fetchFile(stack.db, '00000000-0000-4000-8000-000000000002', `${path}-3`)).toBe(false)
  })

  it('replaces an existing file on the disk only after all its pieces were read from the database', async () => {
    const id = randomUUID()
    await insertRow(stack, id, 'succeeded')
    const folder = temporaryFolder('storey-imports')
    const path = join(folder, 'file')
    writeFileSync(path, randomBytes(1024 * 1024 + 17))
    await stack.db.transaction((tx) => storeFile(tx, id, path))
    writeFileSync(path, 'kept')
    expect(await fetchFile(stack.db, randomUUID(), path)).toBe(false)
    expect(readFileSync(path, 'utf8')).toBe('kept')
    let reads = 0
    const failing: Database = {
      ...stack.db,
      row: (statement) => (reads++ === 0 ? stack.db.row(statement) : Promise.reject(new Error('server closed'))),
    }
    await expect(fetchFile(failing, id, path)).rejects.toThrow('server closed')
    expect(readFileSync(path, 'utf8')).toBe('kept')
    expect(readdirSync(folder)).toEqual(['file'])
  })

  it('is read from the disk if the stack received it before other processes served the sandbox', async () => {
    const own = await startTestStack()
    const folder = temporaryFolder('storey-imports')
    const id = randomUUID()
    writeFileSync(join(folder, `${id}.ifc`), house('three'))
    await insertRow(own, id, 'queued')
    const queue = sharedQueue(own, folder)
    await queue.start()
    await expect.poll(() => statusOf(own, id)).toMatch(/succeeded|failed/)
    expect(await statusOf(own, id)).toBe('succeeded')
    await expect.poll(() => readdirSync(folder)).toEqual([])
    await queue.close()
    await own.close()
  })

  it('[IMP-36] is not left on the disk of a process that loses the lease, and stays in the database', async () => {
    const own = await startTestStack()
    const { db } = own
    const id = randomUUID()
    const path = join(temporaryFolder('storey-imports'), 'file')
    writeFileSync(path, house('four'))
    await insertRow(own, id, 'queued')
    await db.transaction((tx) => storeFile(tx, id, path))
    const graph = openGraph(db, systemClock)
    const change: typeof graph.change = async (...work) => {
      await db.run(sql`
        update imports set lease_holder = ${randomUUID()}, leased_until = now() + interval '50 seconds' where id = ${id}`)
      return graph.change(...work)
    }
    const lines: string[] = []
    const line = (_: object, text: string) => void lines.push(text)
    const log = { info: line, warn: line, error: line, debug: line } as unknown as Log
    const folder = temporaryFolder('storey-imports')
    const queue = sharedQueue(own, folder, { graph: { ...graph, change }, log })
    await queue.start()
    await expect.poll(() => lines).toContain('import lease lost, left to the process that holds it')
    expect(readdirSync(folder)).toEqual([])
    expect(await db.row(sql`select count(*) as count from import_files`)).toEqual({ count: 1 })
    await queue.close()
    await own.close()
  })
})

async function insertRow({ db, seeded }: TestStack, id: string, status: 'queued' | 'succeeded'): Promise<void> {
  await db.run(sql`
    insert into imports (id, building_id, status, replace, actor, size_bytes, created_at)
    values (${id}, ${seeded.buildingId}, ${status}, false, 'test', 1, now())`)
}

async function statusOf({ get, seeded }: TestStack, id: string): Promise<string> {
  return (await get(`/api/v1/buildings/${seeded.buildingId}/imports/${id}`)).body.status
}

/** A queue on the database of a stack whose own queue is idle. */
function sharedQueue({ db }: TestStack, folder: string, more: Partial<ImportQueueOptions> = {}): ImportQueue {
  return createImportQueue({
    ...{ db, graph: openGraph(db, systemClock), clock: systemClock, log: silentLog, folder },
    ...{ serviceRun: 'bbbbbbbb', keepsFilesInDatabase: true, detachData: async () => async () => undefined },
    ...more,
  })
}
