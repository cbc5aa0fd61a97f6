import { afterEach, describe, expect, it } from 'vitest'
import { bearer } from '../credentials/credential.ts'
import { createPlatformClient } from '../platform/client.ts'
import { createProvisioningClient } from '../provisioning/client.ts'
import { problem, type ReceivedRequest, type Reply, startServer } from '../testing/test-server.ts'

type Server = Awaited<ReturnType<typeof startServer>>
const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function serve(answer: (received: ReceivedRequest) => Reply) {
  const server = await startServer(answer)
  servers.push(server)
  return { server, options: { url: server.url, credential: bearer('token') } }
}

const rooms = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: `room-${n}`,
    externalIds: [
      { sourceSystem: 'ifc', externalId: `guid-${n}` },
      ...(n === 7 ? [{ sourceSystem: 'cafm', externalId: 'R7' }] : []),
      // An id of another system that equals the GlobalId of another room.
      ...(n === 3 ? [{ sourceSystem: 'cafm', externalId: 'guid-150' }] : []),
    ],
  }))

const paged =
  (rows: unknown[], cap: number) =>
  ({ query }: ReceivedRequest): Reply => {
    const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset') ?? 0)]
    if (limit > cap) return problem(400, 'LIMIT_TOO_LARGE')
    return { body: { data: rows.slice(offset, offset + limit), total: rows.length, limit, offset } }
  }

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const row of rows) found.push(row)
  return found
}

describe('paging', () => {
  it.each([
    [1000, [1000, 1000, 1000]],
    [100, [1000, ...Array(25).fill(100)]],
  ])('[SDK-03] reads all spaces when a page has at most %i rows', async (cap, limits) => {
    const rows = rooms(2401)
    const { server, options } = await serve(paged(rows, cap))
    const found = await all(createPlatformClient(options).building('b').spaces.listAll({ status: 'active' }))
    expect(found).toEqual(rows)
    expect(server.received.map(({ query }) => Number(query.get('limit')))).toEqual(limits)
    expect(server.received.every(({ query }) => query.get('status') === 'active')).toBe(true)
  })

  it('uses the given page size, and throws if the service refuses even pages of 100 rows', async () => {
    const { server, options } = await serve(paged(rooms(5), 100))
    const { spaces } = createPlatformClient(options).building('b')
    expect(await all(spaces.listAll({ limit: 2 }))).toHaveLength(5)
    expect(server.received).toHaveLength(3)
    const narrow = await serve(() => problem(400, 'LIMIT_TOO_LARGE'))
    await expect(all(createPlatformClient(narrow.options).building('b').spaces.listAll())).rejects.toMatchObject({
      code: 'LIMIT_TOO_LARGE',
    })
    expect(narrow.server.received).toHaveLength(2)
  })

  it('[SDK-04] maps every external id to its room, and prefers the ids of the building model', async () => {
    const { options } = await serve(paged(rooms(240), 100))
    const client = createPlatformClient(options)
    const map = await client.externalIdMap('b')
    expect(map.size).toBe(241)
    expect([map.get('guid-0'), map.get('guid-239'), map.get('R7')]).toEqual(['room-0', 'room-239', 'room-7'])
    expect(map.get('guid-150')).toBe('room-150')
    const cafm = await client.building('b').externalIdMap({ sourceSystem: 'cafm' })
    expect([...cafm]).toEqual([
      ['guid-150', 'room-3'],
      ['R7', 'room-7'],
    ])
  })

  it('reads all pages: of service requests by `page`, of the audit by `before`, and of the history by `from`', async () => {
    const rows = Array.from({ length: 450 }, (_, n) => ({ id: n + 1 }))
    const desk = await serve(({ query }) => {
      const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))]
      return { body: { data: rows.slice((page - 1) * limit, page * limit), total: rows.length, page, limit } }
    })
    expect(await all(createPlatformClient(desk.options).requests.listAll())).toEqual(rows)

    const audit = await serve(({ query }) => {
      const before = Number(query.get('before') ?? 1000)
      const data = rows.filter(({ id }) => id < before).slice(-200)
      return { body: { data, nextBefore: data[0]?.id === 1 ? null : data[0]!.id } }
    })
    expect(await all(createProvisioningClient(audit.options).keys.auditAll({ action: 'key.used' }))).toHaveLength(450)
    expect(audit.server.received.map(({ query }) => query.get('before'))).toEqual([null, '251', '51'])

    const history = await serve(({ query }) => {
      const first = query.get('from') === null
      return { body: { data: [{ value: first ? '1' : '2' }], nextFrom: first ? '2026-03-01T00:00:00.000Z' : null } }
    })
    const { telemetry } = createPlatformClient(history.options).building('b')
    expect(await all(telemetry.historyAll({ pointId: 'p' }))).toEqual([{ value: '1' }, { value: '2' }])
    expect(history.server.received[1]!.query.get('from')).toBe('2026-03-01T00:00:00.000Z')
  })
})
