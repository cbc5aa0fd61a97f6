import type { PointNode, SpaceNode } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import type { Signal } from '../colouring/signals.ts'
import { comfortOf, comfortShare, comfortSignals } from './comfort.ts'
import { peopleIn } from './people.ts'

const readings = (values: Record<string, string>) => ({
  get: (id: string) => (id in values ? { value: values[id]!, at: 0, source: null } : undefined),
})
const signal = (name: string, quantityKind: string, unit: string, rooms: string[]): Signal => ({
  id: name,
  name,
  quantityKind,
  unit,
  isState: false,
  pointsBySpace: new Map(rooms.map((room) => [room, [{ id: `${room}.${name}` } as PointNode]])),
})
const room = (id: string, storeyId: string, spaceTypeSlug = 'open-office') =>
  ({ id, storeyId, spaceTypeSlug }) as SpaceNode

describe('comfort', () => {
  const signals = [
    signal('CO', 'MoleFraction', 'PPM', ['p']),
    signal('Zone', 'Temperature', 'DEG_C', ['a', 'b', 'c', 'd', 'p']),
    signal('CO₂ concentration', 'MoleFraction', 'PPM', ['a', 'b']),
  ]
  const spaces = [
    ...['a', 'b'].map((id) => room(id, 'L0')),
    room('c', 'L1'),
    room('d', 'L1'),
    room('p', 'L0', 'parking'),
  ]

  it('counts the rooms with temperature and CO₂ within the limits, but not rooms such as car parks', () => {
    const values = readings({
      'a.Zone': '22',
      'a.CO₂ concentration': '1001',
      'b.Zone': '20',
      'b.CO₂ concentration': '999',
      'c.Zone': '26.1',
      'd.Zone': '19.9',
      'p.Zone': '5',
    })
    expect(comfortOf({ spaces }, comfortSignals(signals), values)).toEqual({
      comfortable: 1,
      measured: 4,
      worstStoreyId: 'L1',
    })
  })

  it('converts degrees Fahrenheit, and does not count rooms without a reading', () => {
    const values = readings({ 'a.Zone': '70' })
    const found = comfortOf({ spaces }, comfortSignals([signal('Zone', 'Temperature', 'DEG_F', ['a', 'b'])]), values)
    expect(found).toEqual({ comfortable: 1, measured: 1, worstStoreyId: undefined })
  })
})

describe('the people in the building', () => {
  const element = (id: string, elementTypeSlug: string) => ({ id, elementTypeSlug })
  const model = {
    elements: [
      element('a', 'people-counter'),
      element('b', 'people-counter'),
      element('c', 'occupancy-sensor'),
      element('d', 'vav'),
    ],
    pointsOf: (id: string) => [{ id, quantityKind: id === 'c' ? 'Dimensionless' : 'Count' }],
    spaceOf: (id: string) => ({ id: `room-${id}` }),
    storeyOf: (id: string) => ({ id: id === 'a' ? 'L0' : 'L1' }),
  } as unknown as Parameters<typeof peopleIn>[0]

  it('are the sum of the people counters; a room is occupied if a counter or presence sensor reports somebody', () => {
    expect(peopleIn(model, readings({ a: '3', b: '0', c: '1', d: '9' }))).toEqual({
      people: 3,
      occupied: 2,
      sensed: 3,
      fullestStoreyId: 'L0',
    })
    expect(peopleIn(model, readings({ c: '1' }))).toMatchObject({
      people: undefined,
      occupied: 1,
      fullestStoreyId: 'L1',
    })
    expect(peopleIn(model, readings({}))).toBeUndefined()
  })

  it('have no sum if less than a quarter of the rooms with sensors have a counter', () => {
    const many = Array.from({ length: 8 }, (_, i) => element(`c${i}`, 'occupancy-sensor'))
    const sparse = {
      ...model,
      elements: [element('a', 'people-counter'), ...many],
      pointsOf: (id: string) => [{ id, quantityKind: id === 'a' ? 'Count' : 'Dimensionless' }],
    } as unknown as Parameters<typeof peopleIn>[0]
    const values = readings({ a: '3', ...Object.fromEntries(many.map(({ id }) => [id, '0'])) })
    expect(peopleIn(sparse, values)).toMatchObject({ people: undefined, occupied: 1, sensed: 9 })
  })
})

describe('the share of comfortable rooms', () => {
  it('is 100 % only if all rooms are comfortable', () => {
    expect(comfortShare({ comfortable: 348, measured: 349 })).toBe(0.99)
    expect(comfortShare({ comfortable: 349, measured: 349 })).toBe(1)
  })
})
