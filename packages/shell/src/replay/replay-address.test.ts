import { describe, expect, it } from 'vitest'
import type { BuildingModel } from '../building/model.ts'
import type { Signal } from '../colouring/signals.ts'
import { replayAddress } from './replay-address.ts'

const model = {
  storeyOf: (id: string) => (id === 'gone' ? undefined : { code: 'L 01' }),
  spaceOf: (id: string) => (id === 'point' ? { id: 'room' } : undefined),
  point: () => ({ name: 'Zone temperature', quantityKind: 'Temperature', unit: 'DEG_C' }),
} as unknown as BuildingModel
const signal = { id: 'Zone temperature~DEG_C', name: 'Zone temperature', quantityKind: 'Temperature', unit: 'DEG_C' }
const signals = [
  signal,
  { ...signal, id: 'Zone temperature~DEG_C.TemperatureDifference', quantityKind: 'TemperatureDifference' },
] as Signal[]
const detectedAt = '2026-03-10T12:07:00.000Z'

describe('the address of the plan at the time of a fault', () => {
  it('[TIM-03] has the storey, the room, the signal and the moment', () => {
    const address = replayAddress(model, signals, { pointId: 'point', elementId: null, detectedAt })!
    expect(Object.fromEntries(new URL(address, 'http://x').searchParams)).toEqual({
      storey: 'L 01',
      room: 'room',
      colour: 'live:Zone temperature~DEG_C',
      replay: 'day',
      at: detectedAt,
    })
  })

  it('[TIM-03] has the signal with the quantity kind of the point', () => {
    const point = () => ({ name: 'Zone temperature', quantityKind: 'TemperatureDifference', unit: 'DEG_C' })
    const address = replayAddress({ ...model, point } as unknown as BuildingModel, signals, {
      pointId: 'point',
      elementId: null,
      detectedAt,
    })!
    expect(new URL(address, 'http://x').searchParams.get('colour')).toBe(
      'live:Zone temperature~DEG_C.TemperatureDifference',
    )
  })

  it('leaves out what the building no longer has, and is undefined without a storey', () => {
    const address = replayAddress(model, [], { pointId: null, elementId: 'fan', detectedAt })!
    expect([...new URL(address, 'http://x').searchParams.keys()]).toEqual(['storey', 'replay', 'at'])
    expect(replayAddress(model, signals, { pointId: 'gone', elementId: null, detectedAt })).toBeUndefined()
  })
})
