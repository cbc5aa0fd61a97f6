import { silentLog } from '@storey/kit/log'
import { describe, expect, it } from 'vitest'
import { type BusEvent, createBus } from './bus.ts'

const BUILDING = '0191b6a0-0000-7000-8000-000000000001'

describe('the bus of a process', () => {
  it('tells the fields to whoever listens to that event', () => {
    const bus = createBus(silentLog)
    const heard: BusEvent[] = []
    bus.subscribe('cafm.work-order.created', (event) => heard.push(event))
    bus.publish(BUILDING, 'cafm.work-order.created', () => ({ workOrderId: 'w1' }))
    bus.publish(BUILDING, 'cafm.work-order.updated', () => ({ workOrderId: 'w2' }))
    expect(heard).toEqual([{ buildingId: BUILDING, name: 'cafm.work-order.created', fields: { workOrderId: 'w1' } }])
  })

  it('makes no fields for nobody, before the first and after the last listener', () => {
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

  it('counts no one who only listens to other processes', () => {
    const bus = createBus(silentLog)
    const heard: BusEvent[] = []
    bus.subscribe('building.point.updated', (event) => heard.push(event), { from: 'others' })
    expect(bus.hasSubscribers('building.point.updated')).toBe(false)
    bus.publish(BUILDING, 'building.point.updated', () => expect.unreachable())
    bus.subscribe('building.point.updated', () => undefined)
    bus.publish(BUILDING, 'building.point.updated', () => ({}))
    expect(heard).toEqual([])
  })

  it('lets one listener fail without the others', () => {
    const bus = createBus(silentLog)
    let heard = 0
    bus.subscribe('building.fault.created', () => {
      throw new Error('x')
    })
    bus.subscribe('building.fault.created', () => heard++)
    bus.publish(BUILDING, 'building.fault.created', () => ({}))
    expect(heard).toBe(1)
  })
})
