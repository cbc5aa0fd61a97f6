import { REQUEST_MOVES, REQUEST_STATES, type RequestState } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NOBODY, REQUESTS, startTestDesk, type TestDesk } from './testing/test-desk.ts'

let desk: TestDesk
beforeAll(async () => {
  desk = await startTestDesk()
})
afterAll(() => desk.close())

const transition = (id: string, body: unknown) => desk.stack.send('POST', `${REQUESTS}/${id}/transition`, body)
const read = async (id: string) => (await desk.stack.get(`${REQUESTS}/${id}`)).body
const comments = async (id: string) => (await desk.stack.get(`${REQUESTS}/${id}/comments`)).body.data

/** The transitions that lead to each state. */
const WAYS: Record<RequestState, RequestState[]> = {
  new: [],
  assigned: ['assigned'],
  in_progress: ['in_progress'],
  on_hold: ['in_progress', 'on_hold'],
  resolved: ['in_progress', 'resolved'],
  closed: ['in_progress', 'resolved', 'closed'],
  cancelled: ['cancelled'],
}

describe('POST /api/service-desk/requests/{id}/transition', () => {
  it.each([
    ['[DSK-20]', 'new', ['assigned', 'in_progress', 'cancelled']],
    ['[DSK-21]', 'assigned', ['in_progress', 'on_hold', 'cancelled']],
    ['[DSK-22]', 'in_progress', ['on_hold', 'resolved', 'cancelled']],
    ['[DSK-23]', 'on_hold', ['in_progress', 'cancelled']],
    ['[DSK-24]', 'resolved', ['closed', 'in_progress']],
    ['[DSK-25]', 'closed', []],
    ['[DSK-25]', 'cancelled', []],
  ] as const)('%s [DSK-19, DSK-26] allows from %s only %j', async (_, from, allowed) => {
    for (const to of REQUEST_STATES) {
      const { id } = await desk.open()
      await desk.move(id, ...WAYS[from])
      const before = await read(id)
      const { status, body } = await transition(id, { state: to, comment: 'because' })
      if ((allowed as readonly string[]).includes(to)) {
        expect(status, to).toBe(200)
        expect(body).toMatchObject({ id, state: to })
        expect(body).toEqual(await read(id))
        expect(body.updatedAt > before.updatedAt).toBe(true)
      } else {
        expect({ status, code: body.code, allowed: body.allowed }, to).toEqual({
          status: 409,
          code: 'CONFLICT',
          allowed,
        })
        expect(await read(id)).toEqual(before)
        expect(await comments(id)).toEqual([])
      }
    }
  })

  it('is tested above for every state and transition of the contract', () => {
    expect(Object.keys(REQUEST_MOVES)).toEqual([...REQUEST_STATES])
    expect(Object.values(REQUEST_MOVES).flat()).toHaveLength(13)
  })

  it('[DSK-19] stores the comment with the transition', async () => {
    const { id } = await desk.open()
    await transition(id, { state: 'in_progress', comment: 'On my way' })
    await transition(id, { state: 'on_hold', comment: '' })
    await transition(id, { state: 'in_progress', comment: null })
    expect(await comments(id)).toMatchObject([{ text: 'On my way', author: 'sandbox' }])
  })

  it.each([
    {},
    { state: 'done' },
    { state: 'closed', to: 'x' },
    { state: 'assigned', comment: 'a\u0000' },
    { state: 'assigned', comment: ' \u200b\n' },
    { state: 1 },
  ])('refuses %j', async (body) => {
    const made = await desk.open()
    expect(await transition(made.id, body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
    expect(await read(made.id)).toEqual(made)
  })

  it('responds with 404 for an unknown request', async () => {
    expect((await transition(NOBODY, { state: 'assigned' })).status).toBe(404)
    expect((await transition('SR-000001', { state: 'assigned' })).status).toBe(404)
  })

  it('[DSK-26] succeeds for only one of many concurrent callers', async () => {
    const { id } = await desk.open()
    await desk.move(id, 'in_progress')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        transition(id, { state: i % 2 === 0 ? 'resolved' : 'cancelled', comment: `${i}` }),
      ),
    )
    const won = answers.filter(({ status }) => status === 200)
    const lost = answers.filter(({ status }) => status === 409)
    expect([won.length, lost.length]).toEqual([1, 19])
    const { state } = await read(id)
    expect(won[0]!.body.state).toBe(state)
    for (const { body } of lost) expect(body.allowed).toEqual(REQUEST_MOVES[state as RequestState])
    expect(await comments(id)).toHaveLength(1)
  })
})
