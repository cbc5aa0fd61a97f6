import { INTERNAL_EVENTS } from '@storey/contract'
import { movableClock } from '@storey/kit/clock'
import { expect } from 'vitest'
import type { BusEvent } from '../../../bus/bus.ts'
import { type Answer, startTestStack, type TestStack } from '../../../testing/test-stack.ts'
import { sandboxToken } from '../../../testing/tokens.ts'

export const REQUESTS = '/api/service-desk/requests'
export const NOBODY = '0191b6a0-0000-7000-8000-000000000000'
export const HOUR_MS = 3_600_000

export interface TestDesk {
  stack: TestStack
  clock: ReturnType<typeof movableClock>
  /** The id of the seeded building, and the ids of its first storey, space and element. */
  buildingId: string
  storeyId: string
  spaceId: string
  elementId: string
  /** Creates a request in the seeded building; returns its record. */
  open(body?: Record<string, unknown>): Promise<Answer['body']>
  /** Moves a request through the states; returns the last record. */
  move(id: string, ...states: string[]): Promise<Answer['body']>
  read(id: string): Promise<Answer['body']>
  patch(id: string, body: unknown, authorization?: string): Promise<Answer>
  list(query?: string, authorization?: string): Promise<Answer>
  /** Collects the internal events on the bus of the running stack, from this call on. */
  receive(): BusEvent[]
  close(): Promise<void>
}

export const bearer = async (claims: Record<string, unknown>) => `Bearer ${await sandboxToken(claims)}`
export const withRole = (role: string, buildingIds?: string[]) =>
  bearer({
    realm_access: { roles: [role] },
    email: `${role}@example.com`,
    sub: role,
    ...(buildingIds ? { building_ids: buildingIds } : {}),
  })

export async function startTestDesk(): Promise<TestDesk> {
  const clock = movableClock()
  const stack = await startTestStack({}, {}, clock)
  // Some tests move the clock so far ahead that the usual token would have expired.
  const years = await bearer({ exp: Math.floor(clock.now().getTime() / 1000) + 10 * 365 * 86_400 })
  const { buildingId } = stack.seeded
  const open: TestDesk['open'] = async (body = {}) => {
    const answer = await stack.send('POST', REQUESTS, { buildingId, title: 'A request', ...body }, years)
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 })
    return answer.body
  }
  return {
    stack,
    clock,
    buildingId,
    storeyId: stack.idOf(stack.building.storeys[0]!.key),
    spaceId: stack.idOf(stack.building.spaces[0]!.key),
    elementId: stack.idOf(stack.building.elements[0]!.key),
    open,
    async move(id, ...states) {
      let last: Answer | undefined
      for (const state of states) {
        last = await stack.send('POST', `${REQUESTS}/${id}/transition`, { state }, years)
        expect(last, JSON.stringify(last.body)).toMatchObject({ status: 200, body: { state } })
      }
      return last?.body
    },
    read: async (id) => (await stack.get(`${REQUESTS}/${id}`, years)).body,
    patch: (id, body, authorization = years) => stack.send('PATCH', `${REQUESTS}/${id}`, body, authorization),
    list: (query = '', authorization = years) => stack.get(`${REQUESTS}${query}`, authorization),
    receive() {
      const received: BusEvent[] = []
      for (const name of INTERNAL_EVENTS) stack.bus().subscribe(name, (event) => received.push(event))
      return received
    },
    close: () => stack.close(),
  }
}
