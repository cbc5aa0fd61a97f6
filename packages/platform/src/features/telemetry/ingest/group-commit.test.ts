import { setImmediate as nextTurn } from 'node:timers/promises'
import { openTestTracing } from '@storey/kit/testing/open-test-tracing'
import { startTraceReceiver } from '@storey/kit/testing/trace-receiver'
import { activeSpan, inSpan } from '@storey/kit/tracing'
import { describe, expect, it } from 'vitest'
import { decodeBatch } from '../storage/read-batch.ts'
import { GroupCommit, type StoreBatch } from './group-commit.ts'
import type { NewBatch } from './ingest.store.ts'
import { emptyObservations, type Observations } from './observations.ts'

const CHECKED = { buildingId: 'b', revision: 1, version: 1 }
const AT = new Date('2026-03-01T08:00:00Z')
const columns = emptyObservations(10_000)

/** Observations of one request, in columns that the next request overwrites. */
function request(...values: (number | string)[]): Observations {
  columns.texts = new Map()
  for (const [i, value] of values.entries()) {
    columns.points[i] = i + 1
    columns.times[i] = AT.getTime() + i
    columns.values[i] = typeof value === 'string' ? Number.NaN : value
    if (typeof value === 'string') columns.texts.set(i, value)
  }
  columns.count = values.length
  return columns
}

/**
 * A store whose writes end when the test ends them. Unless the test sets the limits, no write counts as slow, and no
 * request is expected after a commit.
 */
function controlled({ slowMs = 60_000, holdMs = 0, turnMs = 60_000 } = {}) {
  const stored: { batch: NewBatch; version: number; answer: PromiseWithResolvers<boolean> }[] = []
  const connections = {
    opened: 0,
    open: 0,
    isUsable: true,
    isWanted: false,
    opening: undefined as Promise<void> | undefined,
  }
  const store: StoreBatch = (batch, version) => {
    const answer = Promise.withResolvers<boolean>()
    stored.push({ batch, version, answer })
    return answer.promise
  }
  const commits = new GroupCommit(
    async (work) => {
      connections.opened++
      connections.open++
      await connections.opening?.catch((err) => {
        connections.open--
        throw err
      })
      const checks = { isUsable: () => connections.isUsable, isWanted: () => connections.isWanted }
      await work({ store, ...checks }).finally(() => connections.open--)
    },
    { slowMs, holdMs, turnMs },
  )
  const valuesOf = ({ batch }: (typeof stored)[number]) => decodeBatch(batch.data).flatMap(({ values }) => [...values])
  return { commits, stored, connections, valuesOf }
}

/** Calls all functions. The request of the first one is already being stored when the others are called. */
async function firstThenOthers(adds: readonly (() => Promise<boolean>)[]): Promise<Promise<boolean>[]> {
  const [first, ...others] = adds
  const answers = [first!()]
  await nextTurn()
  answers.push(...others.map((add) => add()))
  return answers
}

describe('requests that arrive while others are being committed', () => {
  it('are stored together, in the order of arrival, and answered together', async () => {
    const { commits, stored, valuesOf } = controlled()
    const answers = await firstThenOthers(
      [1, 2, 3, 4, 5].map((value) => () => commits.add(request(value, value + 0.5), CHECKED, AT)),
    )
    expect(stored.map(valuesOf)).toEqual([[1, 1.5]])
    stored[0]!.answer.resolve(true)
    expect(await answers[0]).toBe(true)
    expect(stored.slice(1).map(valuesOf)).toEqual([[2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5]])
    expect(stored[1]!.batch).toMatchObject({
      count: 8,
      receivedAt: AT,
      firstAt: AT,
      lastAt: new Date(AT.getTime() + 1),
    })
    const sixth = commits.add(request(6), CHECKED, AT)
    stored[1]!.answer.resolve(true)
    expect(await Promise.all(answers)).toEqual([true, true, true, true, true])
    expect(stored.slice(2).map(valuesOf)).toEqual([[6]])
    stored[2]!.answer.resolve(true)
    expect(await sixth).toBe(true)
  })

  it('do not wait for a commit that takes long: meanwhile, one other batch at a time is stored', async () => {
    const { commits, stored, valuesOf } = controlled({ slowMs: 5 })
    const answers = await firstThenOthers([1, 2, 3].map((value) => () => commits.add(request(value), CHECKED, AT)))
    await expect.poll(() => stored.map(valuesOf)).toEqual([[1], [2, 3]])
    answers.push(commits.add(request(4), CHECKED, AT))
    stored[1]!.answer.resolve(true)
    expect(await Promise.all(answers.slice(1, 3))).toEqual([true, true])
    expect(stored.slice(2).map(valuesOf)).toEqual([[4]])
    for (const { answer } of stored) answer.resolve(true)
    expect(await Promise.all(answers)).toEqual([true, true, true, true])
  })

  it('all fail if their batch fails, and later requests are stored', async () => {
    const { commits, stored } = controlled()
    const answers = await firstThenOthers([1, 2, 3, 4].map((value) => () => commits.add(request(value), CHECKED, AT)))
    const settled = Promise.allSettled(answers)
    stored[0]!.answer.reject(new Error('the database is down'))
    await expect.poll(() => stored.length).toBe(2)
    stored[1]!.answer.reject(new Error('the disk is full'))
    expect((await settled).map((each) => (each.status === 'fulfilled' ? each.value : each.reason.message))).toEqual([
      'the database is down',
      'the disk is full',
      'the disk is full',
      'the disk is full',
    ])
    const next = commits.add(request(5), CHECKED, AT)
    await nextTurn()
    stored[2]!.answer.resolve(false)
    expect(await next).toBe(false)
    const last = commits.add(request(6), CHECKED, AT)
    await nextTurn()
    stored[3]!.answer.resolve(true)
    expect(await last).toBe(true)
  })

  it('are stored separately if they were checked against another revision or other subscriptions, or contain texts', async () => {
    const { commits, stored } = controlled()
    const checks = [CHECKED, CHECKED, { ...CHECKED, revision: 2 }, { ...CHECKED, version: 2 }]
    const answers = await firstThenOthers(checks.map((checked, i) => () => commits.add(request(i), checked, AT)))
    answers.push(commits.add(request(7, 'open'), { ...CHECKED, version: 2 }, AT))
    answers.push(commits.add(request(8, 9), { ...CHECKED, version: 2 }, AT))
    for (let i = 0; i < 6; i++) {
      await expect.poll(() => stored.length).toBeGreaterThan(i)
      stored[i]!.answer.resolve(true)
    }
    await Promise.all(answers)
    const whole = stored.map(({ batch, version }) => [batch.revision, version, batch.count])
    expect(whole).toEqual([
      [1, 1, 1],
      [1, 1, 1],
      [2, 1, 1],
      [1, 2, 1],
      [1, 2, 2],
      [1, 2, 2],
    ])
    const textsOf = ({ batch }: (typeof stored)[number]) => decodeBatch(batch.data).map(({ texts }) => [...texts])
    expect(stored.slice(4).map(textsOf)).toEqual([[[[1, 'open']]], [[]]])
  })

  it('form groups of a limited size', async () => {
    const { commits, stored } = controlled()
    const values = Array.from({ length: 9_000 }, (_, i) => i)
    const answers = await firstThenOthers(
      Array.from({ length: 7 }, () => () => commits.add(request(...values), CHECKED, AT)),
    )
    for (let i = 0; i < 3; i++) {
      await expect.poll(() => stored.length).toBeGreaterThan(i)
      stored[i]!.answer.resolve(true)
    }
    await Promise.all(answers)
    expect(stored.map(({ batch }) => batch.count)).toEqual([9_000, 27_000, 27_000])
  })
})

describe('the requests after a commit', () => {
  it('are stored when as many as expected have arrived, or after a moment if fewer have arrived', async () => {
    const { commits, stored, valuesOf } = controlled({ holdMs: 50 })
    const add = (value: number) => commits.add(request(value), CHECKED, AT)
    const [first, ...others] = await firstThenOthers([1, 2, 3].map((value) => () => add(value)))
    stored[0]!.answer.resolve(true)
    await first
    expect(stored).toHaveLength(1)
    const again = add(4)
    await nextTurn()
    expect(stored.slice(1).map(valuesOf)).toEqual([[2, 3, 4]])
    stored[1]!.answer.resolve(true)
    await Promise.all([...others, again])
    const last = add(5)
    await nextTurn()
    expect(stored).toHaveLength(2)
    await expect.poll(() => stored.slice(2).map(valuesOf)).toEqual([[5]])
    stored[2]!.answer.resolve(true)
    await last
    const alone = add(6)
    await nextTurn()
    expect(stored.slice(3).map(valuesOf)).toEqual([[6]])
    stored[3]!.answer.resolve(true)
    await alone
  })

  it('wait for at most three other requests', async () => {
    const { commits, stored, valuesOf } = controlled({ holdMs: 60_000 })
    const add = (value: number) => commits.add(request(value), CHECKED, AT)
    const [first, ...second] = await firstThenOthers([1, 2, 3, 4, 5, 6, 7].map((value) => () => add(value)))
    stored[0]!.answer.resolve(true)
    await first
    expect(stored.slice(1).map(valuesOf)).toEqual([[2, 3, 4, 5, 6, 7]])
    stored[1]!.answer.resolve(true)
    await Promise.all(second)
    const third = [8, 9, 10, 11].map(add)
    await nextTurn()
    expect(stored.slice(2).map(valuesOf)).toEqual([[8, 9, 10, 11]])
    stored[2]!.answer.resolve(true)
    await Promise.all(third)
  })

  it('use the same connection, which is released soon after the last request', async () => {
    const { commits, stored, connections } = controlled()
    for (let i = 0; i < 3; i++) {
      const answer = commits.add(request(i), CHECKED, AT)
      await nextTurn()
      stored[i]!.answer.resolve(true)
      await answer
    }
    expect(connections).toMatchObject({ opened: 1, open: 1 })
    await expect.poll(() => connections.open).toBe(0)
    const next = commits.add(request(4), CHECKED, AT)
    await nextTurn()
    stored[3]!.answer.resolve(true)
    await next
    expect(connections.opened).toBe(2)
  })
})

describe('a connection', () => {
  it('is released after four batches if other work waits for a connection, and the next batch opens another', async () => {
    const { commits, stored, connections } = controlled()
    // Each request with a text is stored as a separate batch.
    const texts = ['a', 'b', 'c', 'd', 'e']
    const answers = await firstThenOthers(texts.map((text) => () => commits.add(request(text), CHECKED, AT)))
    connections.isWanted = true
    const openedFor: number[] = []
    for (const [i, answer] of answers.entries()) {
      openedFor.push(connections.opened)
      stored[i]!.answer.resolve(true)
      await answer
      await nextTurn()
    }
    expect(openedFor).toEqual([1, 1, 1, 1, 2])
    expect(connections.open).toBe(0)
  })

  it('is released after one slow batch if other work waits for a connection', async () => {
    const { commits, stored, connections } = controlled({ turnMs: 0 })
    const answers = await firstThenOthers([1, 2].map((value) => () => commits.add(request(value), CHECKED, AT)))
    connections.isWanted = true
    stored[0]!.answer.resolve(true)
    await answers[0]
    await nextTurn()
    expect(connections).toMatchObject({ opened: 2, open: 1 })
    stored[1]!.answer.resolve(true)
    expect(await answers[1]).toBe(true)
  })

  it('that is no longer usable after a batch is not used for the next batch', async () => {
    const { commits, stored, connections, valuesOf } = controlled()
    const answers = await firstThenOthers([1, 2].map((value) => () => commits.add(request(value), CHECKED, AT)))
    connections.isUsable = false
    connections.opening = new Promise((resolve) => setImmediate(resolve)).then(() => {
      connections.isUsable = true
    })
    stored[0]!.answer.resolve(true)
    await answers[0]
    await expect.poll(() => connections).toMatchObject({ opened: 2, open: 1 })
    await expect.poll(() => stored.slice(1).map(valuesOf)).toEqual([[2]])
    stored[1]!.answer.resolve(true)
    expect(await answers[1]).toBe(true)
  })

  it('that is kept after a batch is not used for the next batch if other work waits for a connection', async () => {
    const { commits, stored, connections } = controlled()
    const first = commits.add(request(1), CHECKED, AT)
    await nextTurn()
    stored[0]!.answer.resolve(true)
    await first
    connections.isWanted = true
    const second = commits.add(request(2), CHECKED, AT)
    await nextTurn()
    expect(connections).toMatchObject({ opened: 2, open: 1 })
    stored[1]!.answer.resolve(true)
    expect(await second).toBe(true)
  })

  it('that takes long to open delays no requests and keeps their order: the open connection takes the oldest', async () => {
    const { commits, stored, connections, valuesOf } = controlled({ slowMs: 5 })
    const opened = Promise.withResolvers<void>()
    const add = (value: number) => commits.add(request(value), CHECKED, AT)
    const first = add(1)
    await nextTurn()
    connections.opening = opened.promise
    const second = add(2)
    await expect.poll(() => connections.opened).toBe(2)
    const third = add(3)
    stored[0]!.answer.resolve(true)
    await first
    expect(stored.slice(1).map(valuesOf)).toEqual([[2, 3]])
    stored[1]!.answer.resolve(true)
    expect(await Promise.all([second, third])).toEqual([true, true])
    opened.resolve()
    await expect.poll(() => connections.open).toBe(0)
  })

  it('that is never opened stops no requests: the open connection stores them', async () => {
    const { commits, stored, connections } = controlled({ slowMs: 5, holdMs: 2 })
    const never = Promise.withResolvers<void>()
    const add = (value: number) => commits.add(request(value), CHECKED, AT)
    const first = add(1)
    await nextTurn()
    connections.opening = never.promise
    const second = add(2)
    await expect.poll(() => connections.opened).toBe(2)
    stored[0]!.answer.resolve(true)
    await first
    await expect.poll(() => stored.length).toBe(2)
    stored[1]!.answer.resolve(true)
    await second
    await expect.poll(() => connections.open).toBe(1)
    connections.opening = undefined
    const third = add(3)
    await expect.poll(() => stored.length).toBe(3)
    stored[2]!.answer.resolve(true)
    expect(await third).toBe(true)
    never.resolve()
    await expect.poll(() => connections.open).toBe(0)
  })

  it('that cannot be opened causes no request to fail if another connection is open', async () => {
    const { commits, stored, connections, valuesOf } = controlled({ slowMs: 5 })
    const first = commits.add(request(1), CHECKED, AT)
    await nextTurn()
    connections.opening = Promise.reject(new Error('no connection is left'))
    connections.opening.catch(() => undefined)
    const second = commits.add(request(2), CHECKED, AT)
    await expect.poll(() => connections.opened).toBe(2)
    stored[0]!.answer.resolve(true)
    await first
    await nextTurn()
    expect(stored.slice(1).map(valuesOf)).toEqual([[2]])
    stored[1]!.answer.resolve(true)
    expect(await second).toBe(true)
  })

  it('that cannot be opened causes the oldest requests to fail if no other connection is open, and later requests are stored', async () => {
    let tries = 0
    const commits = new GroupCommit(async (work) => {
      if (tries++ === 0) throw new Error('the database is down')
      await work({ store: async () => true, isUsable: () => true, isWanted: () => false })
    })
    await expect(commits.add(request(1), CHECKED, AT)).rejects.toThrow('the database is down')
    expect(await commits.add(request(2), CHECKED, AT)).toBe(true)
  })
})

it('large and small requests are stored in the order of arrival', async () => {
  const { commits, stored, valuesOf } = controlled()
  const large = (from: number) => Array.from({ length: 400 }, (_, i) => from + i)
  const sent = [[0], [1], large(1000), [2], [3], large(2000), [4]]
  const answers = await firstThenOthers(sent.map((values) => () => commits.add(request(...values), CHECKED, AT)))
  stored[0]!.answer.resolve(true)
  await answers[0]
  expect(valuesOf(stored[1]!)).toEqual(sent.slice(1).flat())
  expect(decodeBatch(stored[1]!.batch.data).map(({ count }) => count)).toEqual([1, 400, 2, 400, 1])
  expect(stored[1]!.batch).toMatchObject({ count: 804, firstAt: AT, lastAt: new Date(AT.getTime() + 399) })
  stored[1]!.answer.resolve(true)
  await Promise.all(answers)
})

it('[TRC-01] an insert of several requests is in the trace of the first, and the traces of the others show that they waited', async () => {
  const collector = await startTraceReceiver()
  const tracing = await openTestTracing(collector)
  const inserts: { by: string | undefined; answer: PromiseWithResolvers<boolean> }[] = []
  const store: StoreBatch = () => {
    const answer = Promise.withResolvers<boolean>()
    inserts.push({ by: activeSpan()?.spanId, answer })
    return answer.promise
  }
  const connection = { store, isUsable: () => true, isWanted: () => false }
  const commits = new GroupCommit((work) => work(connection), { slowMs: 60_000, holdMs: 0 })
  const spans: string[] = []
  const sent = await firstThenOthers(
    [1, 2, 3, 4].map(
      (value) => () =>
        inSpan({ name: `request ${value}` }, async (span) => {
          spans.push(span!.spanId)
          return await commits.add(request(value), CHECKED, AT)
        }),
    ),
  )
  await new Promise((resolve) => setTimeout(resolve, 30))
  for (let i = 0; i < 2; i++) {
    inserts[i]!.answer.resolve(true)
    await sent[i]
  }
  await Promise.all(sent)
  await tracing.close()
  await collector.stop()
  expect(inserts.map(({ by }) => by)).toEqual(spans.slice(0, 2))
  const waits = collector.named('wait for insert of another request')
  expect(waits.map(({ parentSpanId }) => parentSpanId)).toEqual(spans.slice(2))
})
