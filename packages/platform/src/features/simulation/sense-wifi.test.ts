import { occupiableRooms, peopleOfDay, planTelemetry, STEPS } from '@storey/building'
import {
  HvacPresence,
  type LiveEvent,
  MeetingLifecycle,
  OccupancyChanged,
  WIFI_EVENTS,
  WifiSensed,
} from '@storey/contract'
import Schema from 'typebox/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connected, liveClient, receivedBy } from '../../live/testing/test-live.ts'
import { sandboxToken } from '../../testing/tokens.ts'
import { type SimulatedStack, startSimulatedStack } from './testing/simulated-stack.ts'

const NOW = '2026-03-03T06:00:00.000Z'
const HOURS = 9
let simulated: SimulatedStack
interface ReceivedEvent {
  name: LiveEvent
  fields: Record<string, unknown>
}
const received: ReceivedEvent[] = []
let onLive: ReturnType<typeof receivedBy>
let leave: () => void
const of = (name: LiveEvent, spaceId?: string) =>
  received.filter((one) => one.name === name && (spaceId === undefined || one.fields.spaceId === spaceId))

beforeAll(async () => {
  simulated = await startSimulatedStack(NOW)
  for (const name of WIFI_EVENTS) {
    simulated.stack.bus().subscribe(name, ({ fields }) => received.push({ name, fields }))
  }
  const socket = liveClient(await simulated.stack.listen(), { auth: { token: await sandboxToken() } })
  onLive = receivedBy(await connected(socket))
  leave = () => void socket.close()
  expect(await socket.emitWithAck('join', simulated.stack.seeded.buildingId)).toMatchObject({ ok: true })
  await simulated.command({ running: true, speed: 60 })
  // Simulates most of a working day, in steps of five minutes. With longer steps the rate limit would delay events.
  for (let i = 0; i < HOURS * 60; i += 5) await simulated.after(5 / 60)
})
afterAll(async () => {
  leave()
  await simulated.stack.close()
})

/** The rooms that people use, each with the number of people that the model has at the simulated steps. */
function people() {
  const model = planTelemetry(simulated.stack.building)
  const rooms = occupiableRooms(model.building)
  const dayStart = Date.parse('2026-03-03T00:00:00.000Z')
  const counts = peopleOfDay(model, rooms, dayStart)
  return rooms.map(({ room, ...further }, i) => ({
    ...further,
    id: simulated.idOf(room.space.code),
    isConditioned: room.isConditioned,
    steps: Array.from(counts.subarray(i * STEPS + 72, i * STEPS + 72 + HOURS * 12)),
  }))
}

const turns = (steps: readonly number[]) =>
  steps.filter((count, i) => i > 0 && count > 0 !== steps[i - 1]! > 0).map((count) => count > 0)

describe('wifi sensing', () => {
  it('[SIM-04] sends the four kinds of events on the live channel, with the fields of their schemas', async () => {
    const schemas = {
      'wifi-sensing.event': WifiSensed,
      'wifi-sensing.occupancy.changed': OccupancyChanged,
      'wifi-sensing.hvac.presence': HvacPresence,
      'wifi-sensing.meeting.lifecycle': MeetingLifecycle,
    }
    for (const name of WIFI_EVENTS) {
      expect(of(name).length, name).toBeGreaterThan(0)
      const schema = Schema.Compile(schemas[name])
      for (const { fields } of of(name)) expect(schema.Check(fields), JSON.stringify(fields)).toBe(true)
      const arrived = () => onLive.filter((one) => one.name === name).map(({ fields }) => fields)
      await expect.poll(arrived).toEqual(of(name).map(({ fields }) => fields))
    }
    const ids = new Set(simulated.stack.building.spaces.map(({ code }) => simulated.idOf(code)))
    for (const { fields } of received) {
      expect(fields.buildingId).toBe(simulated.stack.seeded.buildingId)
      expect(ids.has(fields.spaceId as string)).toBe(true)
    }
  })

  it('counts the people of the model in each room', () => {
    for (const { id, steps } of people()) {
      const changes = of('wifi-sensing.occupancy.changed', id).map(({ fields }) => fields as OccupancyChanged)
      for (let i = 1; i < changes.length; i++) expect(changes[i]!.previousCount).toBe(changes[i - 1]!.count)
      const state = steps.filter((count, i) => i > 0 && count !== steps[i - 1])
      // The clock may have stopped before the last change was reported, and the first value of a run is not a change.
      expect([state, state.slice(0, -1), state.slice(1)]).toContainEqual(changes.map(({ count }) => count))
    }
  })

  it('reports when a room is entered and left, and when a meeting starts and ends', () => {
    let meetings = 0
    for (const { id, steps, isConditioned, isMeetingRoom } of people()) {
      const expected = turns(steps)
      const presence = of('wifi-sensing.hvac.presence', id).map(({ fields }) => fields.present)
      expect([expected, expected.slice(0, -1), expected.slice(1)]).toContainEqual(isConditioned ? presence : expected)
      const reported = of('wifi-sensing.meeting.lifecycle', id).map(({ fields }) => fields as MeetingLifecycle)
      if (!isMeetingRoom) expect(reported).toEqual([])
      for (let i = 1; i < reported.length; i++) {
        expect(reported[i]!.phase).not.toBe(reported[i - 1]!.phase)
        if (reported[i]!.phase !== 'ended') continue
        expect(reported[i]!.meetingId).toBe(reported[i - 1]!.meetingId)
        meetings++
      }
    }
    expect(meetings).toBeGreaterThan(0)
    const ids = of('wifi-sensing.meeting.lifecycle').filter(({ fields }) => fields.phase === 'started')
    expect(new Set(ids.map(({ fields }) => fields.meetingId)).size).toBe(ids.length)
  })

  it('sends a limited number of events at any speed, and none for deleted rooms', async () => {
    const { stack } = simulated
    await simulated.command({ speed: 600 })
    const busiest = people().sort((a, b) => turns(b.steps).length - turns(a.steps).length)[0]!
    received.length = 0
    for (let i = 0; i < 5; i++) await simulated.after(1 / 60)
    expect(of('wifi-sensing.event').length).toBeLessThanOrEqual(5 * 20)
    expect(of('wifi-sensing.occupancy.changed').length).toBeLessThanOrEqual(5 * 20)
    const inside = stack.building.elements.filter(
      ({ spaceKey }) => spaceKey !== null && stack.idOf(spaceKey) === busiest.id,
    )
    const operations = [
      ...stack.building.points
        .filter(({ elementKey }) => inside.some(({ key }) => key === elementKey))
        .map(({ key }) => ({ op: 'delete', kind: 'point', id: stack.idOf(key) })),
      ...inside.map(({ key }) => ({ op: 'delete', kind: 'element', id: stack.idOf(key) })),
      { op: 'delete', kind: 'space', id: busiest.id },
    ]
    const base = `/api/v1/buildings/${stack.seeded.buildingId}/changesets`
    const draft = await stack.send('POST', base, { title: 'Pull it down', operations })
    for (const [step, body] of [['submit'], ['review', { decision: 'approve' }], ['apply']] as const) {
      expect((await stack.send('POST', `${base}/${draft.body.id}/${step}`, body)).status).toBe(200)
    }
    received.length = 0
    for (let i = 0; i < 30; i++) await simulated.after(1 / 60)
    expect(received.length).toBeGreaterThan(0)
    expect(received.filter(({ fields }) => fields.spaceId === busiest.id)).toEqual([])
  })
})
