import { silentLog } from '@storey/kit/log'
import { describe, expect, it } from 'vitest'
import { type BusEvent, createBus } from './bus.ts'

const BUILDING = '0191b6a0-0000-7000-8000-000000000001'

describe('the bus of a process', () => {
  it('delivers the fields to the subscribers of the event', () => {
    const bus = createBus(silentLog)
    const received: BusEvent[] = []
    bus.subscribe('cafm.work-order.created', (event) => received.push(event))
    bus.publish(BUILDING, 'cafm.work-order.created', () => ({ workOrderId: 'w1' }))
    bus.publish(BUILDING, 'cafm.work-order.updated', () => ({ workOrderId: 'w2' }))
    expect(received).toEqual([{ buildingId: BUILDING, name: 'cafm.work-order.created', fields: { workOrderId: 'w1' } }])
  })

  it('creates no fields without a subscriber', () => {
    const bus = createBus(silentLog)
    let made = 0
    const publish = () => bus.publish(BUILDING, 'building.point.updated', () => ({ made: ++made }))
    publish()
    const end = bus.subscribe('building.point.updated', () => undefined)
    expect(bus.hasSubscribers('building.point.updated')).toBe(true)
    publish()
    end()
    expect(bus.hasSubscribers('building.point.updated')).toBe(false)
    publish()
    expect(made).toBe(1)
  })

  it('does not deliver its own events to a listener that subscribes only to events of other processes', () => {
    const bus = createBus(silentLog)
    const received: BusEvent[] = []
    bus.subscribe('building.point.updated', (event) => received.push(event), { from: 'others' })
    expect(bus.hasSubscribers('building.point.updated')).toBe(false)
    bus.publish(BUILDING, 'building.point.updated', () => expect.unreachable())
    bus.subscribe('building.point.updated', () => undefined)
    bus.publish(BUILDING, 'building.point.updated', () => ({}))
    expect(received).toEqual([])
  })

  it('calls the other listeners when one fails', () => {
    const bus = createBus(silentLog)
    let received = 0
    bus.subscribe('building.fault.created', () => {
      throw new Error('x')
    })
    bus.subscribe('building.fault.created', () => received++)
    bus.publish(BUILDING, 'building.fault.created', () => ({}))
    expect(received).toBe(1)
  })
})
