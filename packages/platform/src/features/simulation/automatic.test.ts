import { silentLog } from '@storey/kit/log'
import { startTestRealm, type TestRealm } from '@storey/kit/testing'
import type { Socket } from 'socket.io-client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { connected, liveClient } from '../../live/testing/test-live.ts'
import { unwatched } from '../../memory.ts'
import { ORGANIZATION_ID, sandboxToken } from '../../testing/tokens.ts'
import { createSimulator } from './simulator.ts'
import { generated, lines, type SimulatedStack, startSimulatedStack } from './testing/simulated-stack.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let realm: TestRealm
let simulated: SimulatedStack
const CREATED = '2026-03-03T08:02:00.000Z'
const createdMs = Date.parse(CREATED)
let url: string
beforeEach(async () => {
  realm = await startTestRealm('/realms/sandboxes')
  simulated = await startSimulatedStack(CREATED, { sandboxesIssuer: realm.issuer })
  url = await simulated.stack.listen()
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.disconnect()
  await simulated.stack.close()
  await realm.stop()
})

const clients: Socket[] = []
const times = { iat: createdMs / 1000, exp: (createdMs + 30 * DAY) / 1000 }
const claims = (role: string) => ({ tenant_id: ORGANIZATION_ID, realm_access: { roles: [role] }, ...times })
const personToken = () => realm.sign({ ...claims('user'), email: 'ada@example.com' })

async function follow(token: string, namespace = '/changes'): Promise<Socket> {
  const socket = liveClient(url, { auth: { token } }, namespace)
  clients.push(socket)
  await connected(socket)
  expect(await socket.emitWithAck('join', simulated.stack.seeded.buildingId)).toMatchObject({ ok: true })
  return socket
}

/** Leaves the channel of the building, waits until the stack has confirmed that, and ends the connection. */
async function leave(socket: Socket): Promise<void> {
  const answer = await socket.emitWithAck('leave', simulated.stack.seeded.buildingId)
  expect(answer).toMatchObject({ ok: true })
  socket.disconnect()
}

describe('a simulation without a command', () => {
  it('[SIM-07] starts when a person follows the building, from the end of its history', async () => {
    const { stack, clock, read, sent } = simulated
    clock.advance(30 * MINUTE)
    await follow(await personToken())
    await expect.poll(async () => (await read()).running, { timeout: 60_000 }).toBe(true)
    await stack.simulated()
    expect(await read()).toMatchObject({ automatic: true, speed: 1, startedAt: '2026-03-03T08:32:00.000Z' })
    expect(lines(sent())).toEqual(generated(stack, createdMs, createdMs + 30 * MINUTE))
  })

  it('[SIM-07] does not start for programs: the token of the sandbox, or a service account', async () => {
    const { after, read } = simulated
    await follow(await sandboxToken(times))
    await follow(await realm.sign({ ...claims('admin'), azp: 'device' }))
    // Only pages of the console use the namespace `/changes`. A program of a person uses `/buildings`, for events.
    await follow(await personToken(), '/buildings')
    expect(await after(10)).toEqual([])
    expect(await read()).toMatchObject({ running: false, automatic: true, startedAt: null })
  })

  it('[SIM-08] pauses five minutes after the last person has left, and keeps no stack awake', async () => {
    const { stack, clock, after, read } = simulated
    const first = await follow(await personToken())
    const second = await follow(await personToken())
    await after(1)
    const memory = unwatched(1024 ** 3)
    const foldingCapacity = { isFree: () => true }
    const parts = { db: stack.db, clock, bus: createBus(silentLog), memory, foldingCapacity, log: silentLog }
    expect(await createSimulator({ ...parts, ingest: async () => 0 }).nextDue()).toBeNull()
    await leave(first)
    await after(10)
    expect((await read()).running).toBe(true)
    await leave(second)
    await after(4)
    expect((await read()).running).toBe(true)
    await after(2)
    expect(await read()).toMatchObject({ running: false, automatic: true, startedAt: null })
    expect(await after(60)).toEqual([])
  })

  it('[SIM-08] sends the values for the time of its pause when it continues, but at most those of the last day', async () => {
    const { stack, clock, after } = simulated
    const first = await follow(await personToken())
    const before = await after(1)
    await leave(first)
    expect(lines([...before, ...(await after(6))])).toEqual(generated(stack, createdMs, createdMs + 7 * MINUTE))
    clock.advance(8 * HOUR)
    const second = await follow(await personToken())
    const back = createdMs + 7 * MINUTE + 8 * HOUR
    expect(lines(await after(0))).toEqual(generated(stack, createdMs + 7 * MINUTE, back))
    await leave(second)
    await after(6)
    clock.advance(3 * DAY)
    await follow(await personToken())
    const later = back + 6 * MINUTE + 3 * DAY
    expect(lines(await after(0))).toEqual(generated(stack, later - DAY, later))
  })

  it('[SIM-08] pauses when its process ends, so that it continues only if somebody follows the building', async () => {
    const { stack, after, read } = simulated
    await follow(await personToken())
    await after(1)
    await stack.restart()
    expect(await after(20)).toEqual([])
    expect(await read()).toMatchObject({ running: false, automatic: true })
    url = await stack.listen()
    await follow(await personToken())
    expect(lines(await after(1))).toEqual(generated(stack, createdMs + MINUTE, createdMs + 22 * MINUTE))
  })

  it.each([
    [{ running: false }, false],
    [{ speed: 60 }, true],
    [{ running: true }, true],
  ])('[SIM-09] is no longer automatic after the command %j', async (command, running) => {
    const { after, read } = simulated
    const person = await follow(await personToken())
    await after(1)
    expect((await simulated.command(command)).body).toMatchObject({ running, automatic: false })
    await leave(person)
    await after(30)
    await follow(await personToken())
    await after(0)
    expect(await read()).toMatchObject({ running, automatic: false })
  })

  it('[SIM-09] stays stopped if it was stopped before anybody followed the building', async () => {
    const { after, command, read } = simulated
    await command({ running: false })
    await follow(await personToken())
    expect(await after(10)).toEqual([])
    expect(await read()).toMatchObject({ running: false, automatic: false })
  })

  it('[SIM-10] does not write to points that a client has written to, until it gets a command', async () => {
    const { stack, clock, after, command } = simulated
    const observations = `/api/v1/buildings/${stack.seeded.buildingId}/telemetry/observations`
    const write = (pointId: string) => stack.send('POST', observations, { observations: [{ pointId, value: '35.5' }] })
    const pointsIn = (hour: number) =>
      new Set(simulated.generated(createdMs + hour * HOUR, createdMs + (hour + 1) * HOUR).map(({ pointId }) => pointId))
    const later = [pointsIn(1), pointsIn(2)]
    const always = [...pointsIn(0)].filter((id) => later.every((points) => points.has(id)))
    const [before, during] = always as [string, string]
    clock.advance(MINUTE)
    expect((await write(before)).status).toBe(202)
    await follow(await personToken())
    await after(0)
    expect((await write(during)).status).toBe(202)
    const pointsOf = (sent: { pointId: string; source: string | null }[]) =>
      new Set(sent.filter(({ source }) => source === 'simulator').map(({ pointId }) => pointId))
    const untouched = pointsOf(await after(60))
    expect(untouched.size).toBeGreaterThan(5)
    expect([untouched.has(before), untouched.has(during)]).toEqual([false, false])
    await stack.folded()
    await stack.restart()
    url = await stack.listen()
    await follow(await personToken())
    const afterRestart = pointsOf(await after(60))
    expect([afterRestart.has(before), afterRestart.has(during)]).toEqual([false, false])
    await command({ running: true })
    const started = pointsOf(await after(60))
    expect([started.has(before), started.has(during)]).toEqual([true, true])
  })
})
