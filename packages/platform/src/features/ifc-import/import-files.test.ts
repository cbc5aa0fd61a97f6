import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { globalIdFor, ifcFile } from '@storey/ifc/testing'
import { systemClock } from '@storey/kit/clock'
import { sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openGraph } from '../../graph/open-graph.ts'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'
import { fetchFile, storeFile } from './import-files.store.ts'
import { createImportQueue } from './import-queue.ts'

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

  it('[IMP-36] is in the database until the import ends, and then nowhere', async () => {
    const id = await upload(house('one'))
    expect(await untilEnded(id)).toMatchObject({ status: 'succeeded' })
    expect(await pieces()).toBe(0)
    expect(readdirSync(join(stack.folder, 'imports'))).toEqual([])
    const refused = await upload('no model')
    expect(await untilEnded(refused)).toMatchObject({ status: 'failed' })
    expect(await pieces()).toBe(0)
  })

  it('[IMP-36] can be read by a process that did not receive it', async () => {
    // An import of an earlier process is still leased, so the stack cannot begin with the next one.
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
    expect(readdirSync(folder)).toEqual([])
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
})
