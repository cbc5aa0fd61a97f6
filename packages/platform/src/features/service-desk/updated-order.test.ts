import { randomUUID } from 'node:crypto'
import type { RequestRecord } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import { NO_PRECONDITION } from '@storey/kit/http'
import { silentLog } from '@storey/kit/log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import type { Caller } from '../../caller.ts'
import { changeRequest } from './change-request.ts'
import { createRequest } from './create-request.ts'
import { createServiceDesk, type ServiceDesk } from './create-service-desk.ts'
import { listRequests } from './list-requests.ts'
import { movePlaces } from './move-places.store.ts'
import { startTestDesk, type TestDesk } from './testing/test-desk.ts'

let desk: TestDesk
/** The desk of another process. */
let second: ServiceDesk
beforeAll(async () => {
  desk = await startTestDesk()
  const { stack, clock } = desk
  second = createServiceDesk({ db: stack.db, clock, bus: createBus(silentLog), log: silentLog })
})
afterAll(async () => {
  await second.close()
  await desk.close()
})

const CALLER = { buildingIds: null, actor: 'second' } as unknown as Caller

describe('updatedAt', () => {
  it('[DSK-28] increases with every change, even within the same millisecond', async () => {
    const created = await desk.open()
    const times = [created.updatedAt]
    for (let i = 0; i < 10; i++) times.push((await desk.patch(created.id, { title: `${i}` })).body.updatedAt)
    expect(times).toEqual([...new Set(times)].sort())
  })

  it('[DSK-28] never decreases, even if the clock is set back', async () => {
    const created = await desk.open()
    desk.clock.advance(-60_000)
    const { body } = await desk.patch(created.id, { title: 'Earlier' })
    expect(body.updatedAt > created.updatedAt).toBe(true)
    desk.clock.advance(120_000)
  })

  it('is current in the next list after a change by another process', async () => {
    const created = await createRequest(second, CALLER, { buildingId: desk.buildingId, title: 'from elsewhere' })
    const [listed, found] = await Promise.all([desk.list('?limit=1'), desk.list('?search=elsewhere')])
    expect([listed.body.data, found.body.data]).toEqual([[created], [created]])
    const changed = await changeRequest(
      second,
      CALLER,
      created.id,
      { title: 'from nowhere', category: 'it' },
      NO_PRECONDITION,
    )
    const again = await Promise.all(['elsewhere', 'nowhere'].map((word) => desk.list(`?category=it&search=${word}`)))
    expect(again.map(({ body }) => body.data)).toEqual([[], [changed]])
  })

  it.each([1, 2, 3, 9])('is consistent on a page if requests change before each of up to %d reads', async (times) => {
    const { db } = desk.stack
    const [c, , a] = [await desk.open({ title: 'c' }), await desk.open({ title: 'b' }), await desk.open({ title: 'a' })]
    let left = times
    const change = async () => {
      if (left-- <= 0) return
      await changeRequest(second, CALLER, c.id, { title: `c ${left}` }, NO_PRECONDITION)
      await changeRequest(second, CALLER, a.id, { title: `a ${left}` }, NO_PRECONDITION)
    }
    // The requests change just before the page is read by request numbers.
    const late: Database = {
      ...db,
      async rows(statement) {
        const isPage = /with ordinality/.test(statement.toQuery().text)
        if (isPage) await Promise.race([change(), new Promise((resolve) => setTimeout(resolve, 300))])
        return db.rows(statement)
      },
    }
    const third = createServiceDesk({ db: late, clock: desk.clock, bus: createBus(silentLog), log: silentLog })
    const { data } = await listRequests(third, CALLER, { limit: 2 })
    expect(data.map(({ title }) => title[0])).toEqual(['a', 'c'])
    expect(data[0]!.title.slice(1)).toBe(data[1]!.title.slice(1))
    await third.close()
  })

  it('changes when nodes of a request are replaced', async () => {
    const { stack, spaceId, storeyId, elementId, clock } = desk
    const [first, second, other] = [
      await desk.open({ spaceId, storeyId, elementId }),
      await desk.open({ spaceId }),
      await desk.open({ storeyId }),
    ]
    const successors = new Map([spaceId, elementId].map((id) => [id, randomUUID()]))
    await stack.db.transaction((tx) => movePlaces(tx, successors, clock.now()))
    const space = `?spaceId=${successors.get(spaceId)}`
    const moved = (await desk.list(space)).body.data
    expect(moved).toMatchObject([
      { id: second.id, spaceId: successors.get(spaceId), storeyId, elementId: null },
      { id: first.id, spaceId: successors.get(spaceId), storeyId, elementId: successors.get(elementId) },
    ])
    expect(moved[1].updatedAt > other.updatedAt && moved[0].updatedAt > moved[1].updatedAt).toBe(true)
    expect((await desk.list(`?spaceId=${spaceId}`)).body.total).toBe(0)
    expect(await desk.read(other.id)).toEqual(other)
    expect((await desk.open()).updatedAt > moved[0].updatedAt).toBe(true)
  })

  it('[DSK-28] shows every change to a poller that reads pages until the last change it knows', async () => {
    const changes: { id: string; updatedAt: string }[] = []
    const note = ({ id, updatedAt }: RequestRecord) => changes.push({ id, updatedAt })
    let isWriting = true
    let between = 0
    const polls: { lastKnown: string; known: Map<string, string> }[] = []
    async function poll() {
      let lastKnown = ''
      const known = new Map<string, string>()
      for (let last = false; !last; ) {
        last = !isWriting
        const fresh: RequestRecord[] = []
        for (let page = 1; ; page++) {
          const { data } = (await desk.list(`?limit=5&page=${page}`)).body as { data: RequestRecord[] }
          const newer = data.filter(({ updatedAt }) => updatedAt > lastKnown)
          fresh.push(...newer)
          if (newer.length < 5) break
          // The first request of the next page changes before that page is read, however fast the reader is.
          const [next] = (await desk.list(`?limit=1&page=${5 * page + 1}`)).body.data as RequestRecord[]
          if (isWriting && next)
            note(await changeRequest(second, CALLER, next.id, { title: `between ${++between}` }, NO_PRECONDITION))
        }
        for (const { id, updatedAt } of fresh) if (updatedAt > (known.get(id) ?? '')) known.set(id, updatedAt)
        lastKnown = fresh[0]?.updatedAt ?? lastKnown
        polls.push({ lastKnown, known: new Map(known) })
      }
    }
    const write = async (writer: number) => {
      desk.clock.advance(writer % 3)
      const body = { buildingId: desk.buildingId, title: `${writer}` }
      const isSecond = writer % 2 === 0
      const created = isSecond ? await createRequest(second, CALLER, body) : await desk.open(body)
      note(created)
      for (let i = 0; i < 6; i++) {
        const patch = { title: `${writer} ${i}` }
        note(
          isSecond
            ? await changeRequest(second, CALLER, created.id, patch, NO_PRECONDITION)
            : (await desk.patch(created.id, patch)).body,
        )
      }
    }
    const polling = poll()
    let writers = 50
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
    while (polls.length < 3) await write(writers++)
    isWriting = false
    await polling

    expect(changes).toHaveLength(7 * writers + between)
    expect(new Set(changes.map(({ updatedAt }) => updatedAt)).size).toBe(changes.length)
    const lastOf = new Map<string, string>()
    for (const { id, updatedAt } of changes) if (updatedAt > (lastOf.get(id) ?? '')) lastOf.set(id, updatedAt)
    // A reader that has seen a change has seen all earlier changes, except those of requests that have changed again
    // since: a request that changes while later pages are read moves to the first page, and is in the next read.
    for (const { lastKnown, known } of polls) {
      const missed = changes.filter(
        ({ id, updatedAt }) => updatedAt <= lastKnown && !((known.get(id) ?? '') >= updatedAt),
      )
      expect(missed.filter(({ id }) => lastOf.get(id)! <= lastKnown)).toEqual([])
    }
    const { known } = polls.at(-1)!
    expect(new Map([...lastOf.keys()].map((id) => [id, known.get(id)]))).toEqual(lastOf)
  })
})
