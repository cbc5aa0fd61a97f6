import { describe, expect, it } from 'vitest'
import { DAY_MS, STEP_MS, STEPS } from './clock.ts'
import { occupiableRooms, peopleOfDay } from './people.ts'
import { modelOf, readAll } from './reading.test-kit.ts'

const DAY = Date.UTC(2026, 4, 5)
const model = modelOf({ seed: 'people', storeys: 3, equipmentDensity: 'dense', spacesMin: 12, spacesMax: 18 })
const rooms = occupiableRooms(model.building)
const counts = peopleOfDay(model, rooms, DAY)
const countsOf = (spaceKey: string | null) => {
  const place = rooms.findIndex(({ room }) => room.space.key === spaceKey)
  return Array.from(counts.subarray(place * STEPS, (place + 1) * STEPS))
}

describe('peopleOfDay and occupiableRooms', () => {
  it('count the same people as the sensors of the rooms', () => {
    const seen = readAll(model, new Date(DAY).toISOString(), new Date(DAY + DAY_MS).toISOString(), /\.(CNT|OCC)$/)
    let compared = 0
    for (const { key, elementType, code, spaceKey } of model.building.elements) {
      if (elementType === 'people-counter') {
        expect(seen.get(`${code}.CNT`)!.values, key).toEqual(countsOf(spaceKey))
        compared++
      }
      if (elementType !== 'occupancy-sensor') continue
      const expected = countsOf(spaceKey).map((count) => (count > 0 ? 1 : 0))
      const { timesMs, values } = seen.get(`${code}.OCC`)!
      const read = expected.map((_, step) => values[timesMs.findLastIndex((ms) => ms < DAY + (step + 1) * STEP_MS)])
      expect(read, key).toEqual(expected)
      compared++
    }
    expect(compared).toBeGreaterThan(10)
  })

  it('leave out car parks and rooms that nobody uses, and mark meeting rooms', () => {
    expect(rooms.length).toBeGreaterThan(0)
    for (const { room } of rooms) expect(['none', 'parking']).not.toContain(room.usage)
    expect(rooms.some(({ isMeetingRoom }) => isMeetingRoom)).toBe(true)
    for (const { room, isMeetingRoom } of rooms) if (isMeetingRoom) expect(room.usage).toBe('meeting')
  })
})
