import { silentLog } from '@storey/kit/log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { createServiceDesk } from './create-service-desk.ts'
import { HOUR_MS, startTestDesk, type TestDesk } from './testing/test-desk.ts'

let desk: TestDesk
beforeAll(async () => {
  desk = await startTestDesk()
})
afterAll(() => desk.close())

const WARNING = 'service-desk.ticket.sla_warning'
const UPDATED = 'service-desk.ticket.updated'
const BREACHED = 'service-desk.ticket.sla_breached'
const idle = () => desk.stack.serviceDesk().idle()
const ms = (time: string) => Date.parse(time)
/** The names of the alerts that were published for a request. */
const published = (received: ReturnType<TestDesk['receive']>, id: string) =>
  received.filter(({ name, fields }) => name.includes('sla_') && fields.requestId === id).map(({ name }) => name)

/** Sets the clock to this many hours after a request was created. */
const at = ({ createdAt }: { createdAt: string }, hours: number) =>
  desk.clock.set(new Date(ms(createdAt) + hours * HOUR_MS))

describe('the service desk', () => {
  it.each([
    ['critical', 4],
    ['high', 24],
    ['normal', 72],
    ['low', 240],
  ])('sets the due time of a %s request to %d hours after its creation', async (priority, hours) => {
    const made = await desk.open({ priority })
    expect(ms(made.dueAt) - ms(made.createdAt)).toBe(hours * HOUR_MS)
  })

  it('[DSK-31, DSK-32] publishes the warning and the breach, each once and in time', async () => {
    const received = desk.receive()
    const made = await desk.open({ priority: 'critical' })
    const stages = [
      [3.2 - 1 / HOUR_MS, 'on_time', false, []],
      [3.2, 'warning', false, [WARNING]],
      [4 - 1 / HOUR_MS, 'warning', false, [WARNING]],
      [4, 'breached', true, [WARNING, BREACHED]],
      [400, 'breached', true, [WARNING, BREACHED]],
    ] as const
    for (const [hours, slaState, overdue, expected] of stages) {
      at(made, hours)
      await idle()
      await idle()
      expect(published(received, made.id), `${hours} hours`).toEqual(expected)
      expect(await desk.read(made.id)).toMatchObject({ slaState, overdue, dueAt: made.dueAt, state: 'new' })
      const { body } = await desk.list(`?overdue=${overdue}&search=${made.number}`)
      expect(body).toMatchObject({ total: 1, data: [{ id: made.id }] })
      expect((await desk.list(`?overdue=${!overdue}&search=${made.number}`)).body.total).toBe(0)
    }
    const [, breach] = received.filter(({ fields, name }) => fields.requestId === made.id && name.includes('sla_'))
    expect(breach).toMatchObject({ buildingId: desk.buildingId, fields: { slaState: 'breached', overdue: true } })
    expect(ms((await desk.read(made.id)).updatedAt)).toBeGreaterThan(ms(made.updatedAt))
  })

  it('[DSK-31] publishes alerts on a timer', async () => {
    const received = desk.receive()
    const made = await desk.open({ priority: 'critical' })
    at(made, 3.2)
    desk.clock.advance(-20)
    await desk.patch(made.id, { title: 'Touched' })
    expect(published(received, made.id)).toEqual([])
    desk.clock.advance(20)
    await expect.poll(() => published(received, made.id)).toEqual([WARNING])
  })

  it('pauses the SLA clock of a request that is on hold', async () => {
    const received = desk.receive()
    const made = await desk.open({ priority: 'critical' })
    const held = await desk.move(made.id, 'in_progress', 'on_hold')
    at(made, 10)
    await idle()
    expect(published(received, made.id)).toEqual([])
    expect(await desk.read(made.id)).toMatchObject({ overdue: false, slaState: 'on_time', dueAt: made.dueAt })
    expect((await desk.list(`?overdue=true&search=${made.number}`)).body.total).toBe(0)
    const resumed = await desk.move(made.id, 'in_progress')
    expect(ms(resumed.dueAt) - ms(made.dueAt)).toBe(ms(resumed.updatedAt) - ms(held.updatedAt))
    desk.clock.set(new Date(ms(resumed.dueAt) - 1))
    await idle()
    expect(published(received, made.id)).toEqual([WARNING])
    desk.clock.advance(1)
    await idle()
    expect(published(received, made.id)).toEqual([WARNING, BREACHED])
  })

  it('leaves a request overdue if it was overdue before the hold', async () => {
    const made = await desk.open({ priority: 'critical' })
    at(made, 5)
    await desk.move(made.id, 'in_progress', 'on_hold')
    at(made, 9)
    expect(await desk.read(made.id)).toMatchObject({ overdue: true, slaState: 'breached' })
    expect(await desk.move(made.id, 'in_progress')).toMatchObject({ overdue: true, slaState: 'breached' })
  })

  it('reports “met” for a request that was resolved in time, and never reports the request as overdue', async () => {
    const received = desk.receive()
    const made = await desk.open({ priority: 'critical' })
    at(made, 3.5)
    await idle()
    const resolved = await desk.move(made.id, 'in_progress', 'resolved')
    expect(resolved).toMatchObject({ slaState: 'met', overdue: false })
    at(made, 50)
    await idle()
    expect(await desk.read(made.id)).toMatchObject({ slaState: 'met', overdue: false })
    expect(published(received, made.id)).toEqual([WARNING])
    const again = await desk.move(made.id, 'in_progress')
    expect(again).toMatchObject({ slaState: 'warning', overdue: false })
    expect(ms(again.dueAt) - ms(made.dueAt)).toBe(ms(again.updatedAt) - ms(resolved.updatedAt))
    expect(await desk.move(made.id, 'resolved', 'closed')).toMatchObject({ slaState: 'met', overdue: false })
  })

  it('[DSK-32] publishes a breach even if the request is resolved before the SLA watch has run', async () => {
    const received = desk.receive()
    const made = await desk.open({ priority: 'critical' })
    await desk.move(made.id, 'in_progress')
    at(made, 6)
    expect(await desk.move(made.id, 'resolved')).toMatchObject({ slaState: 'breached', overdue: false })
    await idle()
    // The breach was due before the change, so it is published first. The warning is not published any more, since the
    // breach is already due.
    expect(received.slice(-2)).toMatchObject([
      { name: BREACHED, fields: { requestId: made.id, state: 'in_progress', slaState: 'breached' } },
      { name: UPDATED, fields: { requestId: made.id, state: 'resolved' } },
    ])
    expect(published(received, made.id)).toEqual([BREACHED])
  })

  it('changes the due time with the priority, and publishes the change before an alert that the change causes', async () => {
    const received = desk.receive()
    const made = await desk.open({ priority: 'low' })
    at(made, 5)
    const raised = (await desk.patch(made.id, { priority: 'critical' })).body
    expect(raised).toMatchObject({ slaState: 'breached', overdue: true })
    expect(ms(raised.dueAt)).toBe(ms(made.createdAt) + 4 * HOUR_MS)
    expect(received.slice(-2)).toMatchObject([
      { name: UPDATED, fields: { requestId: made.id, priority: 'critical' } },
      { name: BREACHED, fields: { requestId: made.id, dueAt: raised.dueAt } },
    ])
    const lowered = (await desk.patch(made.id, { priority: 'high' })).body
    expect(lowered).toMatchObject({ slaState: 'on_time', overdue: false })
    expect(ms(lowered.dueAt)).toBe(ms(made.createdAt) + 24 * HOUR_MS)
    at(made, 23)
    await idle()
    expect(published(received, made.id)).toEqual([BREACHED, WARNING])
  })

  it('[DSK-31, DSK-32] publishes the alerts of a due time once, even if the priority changes back', async () => {
    const received = desk.receive()
    const made = await desk.open({ priority: 'critical' })
    const priority = async (...priorities: string[]) => {
      for (const one of priorities) await desk.patch(made.id, { priority: one })
      await idle()
    }
    at(made, 3.5)
    await idle()
    await priority('low', 'critical')
    expect(published(received, made.id)).toEqual([WARNING])
    at(made, 5)
    await idle()
    await priority('low', 'critical', 'high', 'critical')
    expect(published(received, made.id)).toEqual([WARNING, BREACHED])
    // The same holds after a pause, which moves the due time.
    await desk.move(made.id, 'in_progress', 'on_hold')
    at(made, 7)
    await desk.move(made.id, 'in_progress')
    await priority('low', 'critical')
    expect(published(received, made.id)).toEqual([WARNING, BREACHED])
    await priority('high')
    at(made, 25)
    await idle()
    expect(published(received, made.id)).toEqual([WARNING, BREACHED, WARNING])
    at(made, 26)
    await idle()
    await priority('critical', 'high')
    expect(published(received, made.id)).toEqual([WARNING, BREACHED, WARNING, BREACHED])
  })
})

describe('the next alert', () => {
  it('is the earliest pending warning or breach, if there is one', async () => {
    const other = await startTestDesk()
    const next = async () => (await other.stack.serviceDesk().nextDue())?.toISOString() ?? null
    expect(await next()).toBeNull()
    await other.open({ priority: 'low' })
    const made = await other.open({ priority: 'critical' })
    expect(await next()).toBe(new Date(ms(made.createdAt) + 3.2 * HOUR_MS).toISOString())
    other.clock.set(new Date(ms(made.createdAt) + 3.2 * HOUR_MS))
    await other.stack.serviceDesk().idle()
    expect(await next()).toBe(made.dueAt)
    await other.move(made.id, 'in_progress', 'on_hold')
    expect(await next()).not.toBe(made.dueAt)
    await other.close()
  })
})

describe('several processes', () => {
  it('[DSK-31, DSK-32] publish an alert that became due while none of them ran, and only once', async () => {
    const made = await desk.open({ priority: 'critical' })
    const done = await desk.open({ priority: 'critical' })
    await desk.move(done.id, 'cancelled')
    at(made, 9)
    await desk.stack.restart()
    const received = desk.receive()
    await expect.poll(() => published(received, made.id)).toEqual([BREACHED])
    await desk.stack.restart()
    const later = desk.receive()
    await idle()
    expect([published(received, made.id), published(later, made.id), published(later, done.id)]).toEqual([
      [BREACHED],
      [],
      [],
    ])
  })

  it('[DSK-31, DSK-32] publish each alert only once in total', async () => {
    const { stack, clock } = desk
    const made = await Promise.all(Array.from({ length: 60 }, () => desk.open({ priority: 'critical' })))
    const received = desk.receive()
    const bus = createBus(silentLog)
    for (const name of [WARNING, BREACHED] as const) bus.subscribe(name, (event) => received.push(event))
    const others = Array.from({ length: 3 }, () => createServiceDesk({ db: stack.db, clock, bus, log: silentLog }))
    at(made.at(-1)!, 5)
    await Promise.all([idle(), ...others.map((other) => other.idle())])
    for (const { id } of made) expect(published(received, id)).toEqual([BREACHED])
    const times = (await desk.list('?limit=200')).body.data.map(({ updatedAt }: { updatedAt: string }) => updatedAt)
    expect(new Set(times).size).toBe(times.length)
    await Promise.all(others.map((other) => other.close()))
  })
})

describe('reading', () => {
  it('evaluates the SLA at the time of the read, whatever was published', async () => {
    const made = await desk.open({ priority: 'critical' })
    at(made, 4)
    expect(await desk.read(made.id)).toMatchObject({ overdue: true, slaState: 'breached' })
    expect((await desk.list(`?search=${made.number}&overdue=true`)).body.total).toBe(1)
  })
})

describe('a clock that was ahead and is set back', () => {
  it('[DSK-34] keeps changes in order, and due times correct', async () => {
    const received = desk.receive()
    const now = desk.clock.now()
    const before = await desk.open({ priority: 'critical' })
    desk.clock.set(new Date(now.getTime() + 30 * 24 * HOUR_MS))
    const during = await desk.open({ priority: 'low' })
    desk.clock.set(now)
    const after = await desk.open({ priority: 'critical' })
    expect(ms(after.updatedAt)).toBeGreaterThan(ms(during.updatedAt))
    expect(ms(after.dueAt)).toBe(now.getTime() + 4 * HOUR_MS)
    const moved = await desk.move(before.id, 'assigned')
    expect(moved).toMatchObject({ slaState: 'on_time', dueAt: before.dueAt })
    expect(published(received, before.id)).toEqual([])
    const held = await desk.move(after.id, 'assigned', 'on_hold', 'in_progress')
    expect(held).toMatchObject({ slaState: 'on_time', dueAt: after.dueAt })
  })
})
