import type { LiveConnection, LiveEvents } from '@storey/sdk'
import { type Platform, testPlatform } from '@storey/sdk/module'

const buildingId = 'test-building'
const TYPES = [
  { slug: 'meeting-room', name: 'Meeting room' },
  { slug: 'open-office', name: 'Open office' },
  { slug: 'phone-booth', name: 'Phone booth' },
  { slug: 'corridor', name: 'Corridor' },
]
const STOREYS = [
  { id: 'ground', name: 'Ground storey', index: 0 },
  { id: 'first', name: 'Storey 1', index: 1 },
]
/** Room, storey, type, capacity, and the value of its sensor: a number of people, or whether somebody is there. */
const ROOMS: [name: string, storeyId: string, slug: string, capacity: number, counter?: string, presence?: string][] = [
  ['Elm', 'ground', 'meeting-room', 8, '0'],
  ['Oak', 'ground', 'meeting-room', 12, '5'],
  ['Ash', 'first', 'meeting-room', 6, '6'],
  ['Workshop', 'first', 'open-office', 24, undefined, '1'],
  ['Booth 1', 'first', 'phone-booth', 1, undefined, '0'],
  ['Attic', 'first', 'open-office', 10],
  ['Corridor', 'ground', 'corridor', 0, undefined, '1'],
]

/** A platform without a network, for tests and for `npm run dev`. */
export function samplePlatform({ at = Date.now(), ...overrides }: Partial<Platform> & { at?: number } = {}) {
  const channel = sampleChannel()
  const building = `GET /api/v1/buildings/${buildingId}`
  const timestamp = new Date(at).toISOString()
  const platform = testPlatform({
    buildingId,
    live: channel.live,
    answers: {
      [`${building}/graph`]: sampleGraph(),
      [`${building}/telemetry/latest`]: {
        data: ROOMS.flatMap(([name, , , , counter, presence]) => {
          const value = counter ?? presence
          return value === undefined ? [] : [{ pointId: `${name} point`, value, timestamp }]
        }),
      },
      'GET /api/v1/catalogs/space-types': { data: TYPES },
    },
    ...overrides,
  })
  return { platform, ...channel, counters: ROOMS.filter(([, , , , counter]) => counter !== undefined) }
}

function sampleGraph() {
  const spaces = ROOMS.map(([name, storeyId, spaceTypeSlug, capacity]) => ({
    id: name,
    name,
    storeyId,
    spaceTypeSlug,
    capacity,
    status: 'active',
  }))
  const sensed = ROOMS.filter(([, , , , counter, presence]) => counter ?? presence)
  const elements = sensed.map(([name, , , , counter]) => ({
    id: `${name} sensor`,
    spaceId: name,
    elementTypeSlug: counter === undefined ? 'occupancy-sensor' : 'people-counter',
  }))
  const points = sensed.map(([name, , , , counter]) => ({
    id: `${name} point`,
    elementId: `${name} sensor`,
    pointType: counter === undefined ? 'STATUS' : 'SENSOR',
  }))
  return { storeys: STOREYS, spaces, elements, points }
}

function sampleChannel() {
  const handlers = new Map<string, Set<(event: unknown, meta: { sequence: number }) => void>>()
  let sequence = 0
  const live: LiveConnection = {
    buildingId,
    status: 'live',
    ready: Promise.resolve(),
    on(kind, handler) {
      const ours = handler as (event: unknown) => void
      const all = handlers.get(kind) ?? new Set()
      handlers.set(kind, all.add(ours))
      return () => all.delete(ours)
    },
    onStatus: () => () => undefined,
    onSnapshotRequired: () => () => undefined,
    close: () => handlers.clear(),
  }
  function emit<K extends keyof LiveEvents>(kind: K, event: LiveEvents[K]): void {
    sequence += 1
    for (const handler of handlers.get(kind) ?? []) handler(event, { sequence })
  }
  const now = () => new Date().toISOString()
  return {
    live,
    /** Simulates a value of a room's sensor. */
    report(room: string, value: string): void {
      const observation = {
        pointId: `${room} point`,
        elementId: `${room} sensor`,
        value,
        timestamp: now(),
        source: null,
      }
      emit('building.point.updated', { buildingId, observations: [observation] })
    },
    /** Simulates that the Wi-Fi access points report another number of people in a room. */
    sense(room: string, count: number): void {
      const event = { buildingId, spaceId: room, occurredAt: now(), previousCount: 0, count, capacity: null }
      emit('wifi-sensing.occupancy.changed', event)
    },
  }
}
