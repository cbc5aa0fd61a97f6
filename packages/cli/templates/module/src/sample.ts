import type { LiveConnection, LiveEvents } from '@storey/sdk'
import { type Platform, testPlatform } from '@storey/sdk/module'

const buildingId = 'test-building'
const timestamp = '2026-01-15T09:00:00.000Z'
const SENSORS = [
  { id: 'air', elementId: 'room-101', name: 'Air temperature', unit: 'DEG_C', value: '21.46' },
  { id: 'co2', elementId: 'room-101', name: 'CO₂', unit: 'PPM', value: '612' },
  { id: 'power', elementId: 'main-meter', name: 'Power', unit: 'KiloW', value: '48.2' },
]
const ELEMENTS = [
  { id: 'room-101', name: 'Sensor in room 101' },
  { id: 'main-meter', name: 'Main meter' },
]
const UNITS = [
  { name: 'DEG_C', symbol: '°C' },
  { name: 'PPM', symbol: 'ppm' },
  { name: 'KiloW', symbol: 'kW' },
]

/** A platform without a network, for tests and for `npm run dev`; `report` simulates a new sensor value. */
export function samplePlatform(overrides: Partial<Platform> = {}) {
  const channel = sampleChannel()
  const building = `GET /api/v1/buildings/${buildingId}`
  const platform = testPlatform({
    buildingId,
    live: channel.live,
    answers: {
      [`${building}/points`]: { data: SENSORS },
      ...Object.fromEntries(ELEMENTS.map((element) => [`${building}/elements/${element.id}`, element])),
      [`${building}/telemetry/latest`]: {
        data: SENSORS.map(({ id, value }) => ({ pointId: id, value, timestamp })),
      },
      'GET /api/v1/catalogs/units': { data: UNITS },
    },
    ...overrides,
  })
  return { platform, report: channel.report, sensors: SENSORS }
}

type PointUpdated = LiveEvents['building.point.updated']

function sampleChannel() {
  const handlers = new Set<(event: PointUpdated, meta: { sequence: number }) => void>()
  let sequence = 0
  const live: LiveConnection = {
    buildingId,
    status: 'live',
    ready: Promise.resolve(),
    on(kind, handler) {
      const ours = handler as (event: PointUpdated) => void
      if (kind === 'building.point.updated') handlers.add(ours)
      return () => handlers.delete(ours)
    },
    onStatus: () => () => undefined,
    onSnapshotRequired: () => () => undefined,
    close: () => handlers.clear(),
  }
  function report(pointId: string, value: string): void {
    const observation = {
      pointId,
      elementId: SENSORS.find(({ id }) => id === pointId)?.elementId ?? '',
      value,
      timestamp: new Date().toISOString(),
      source: 'sample',
    }
    sequence += 1
    for (const handler of handlers) handler({ buildingId, observations: [observation] }, { sequence })
  }
  return { live, report }
}
