import type { PointNode, SpaceNode } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { valueFormat } from '../live/format-value.ts'
import { createValueStore } from '../live/value-store.ts'
import { signalColouring } from './signal-colouring.ts'
import type { Signal } from './signals.ts'

const point = (id: string) => ({ id }) as PointNode
const space = (id: string) => ({ id }) as SpaceNode
const { number, rounded, bound } = valueFormat('en')
const texts = {
  title: 'Zone temperature',
  unit: '°C',
  yes: 'yes',
  no: 'no',
  number: (value: number) => number(value, 'DEG_C'),
  round: (value: number) => rounded(value, 'DEG_C'),
  bound,
}
const temperature: Signal = {
  id: 'Zone temperature~DEG_C',
  name: 'Zone temperature',
  quantityKind: 'Temperature',
  unit: 'DEG_C',
  isState: false,
  pointsBySpace: new Map([
    ['a', [point('a1'), point('a2')]],
    ['b', [point('b1')]],
  ]),
}
const at = (minute: number) => new Date(minute * 60_000).toISOString()

function setUp(signal: Signal) {
  const waiting: (() => void)[] = []
  const values = createValueStore((callback) => waiting.push(callback))
  const frame = () => {
    for (const callback of waiting.splice(0)) callback()
  }
  return { values, frame, colouring: signalColouring(signal, values, texts) }
}

describe('a plan coloured by a signal', () => {
  it('uses the newest reading of a room', () => {
    const { values, colouring } = setUp(temperature)
    values.set('a1', '21.5', at(1), null)
    values.set('a2', '26.5', at(2), null)
    expect([colouring.textOf(space('a')), colouring.shadeOf(space('a'))?.label]).toEqual(['26.5', '≥ 26'])
    values.set('a1', '17', at(3), null)
    expect(colouring.shadeOf(space('a'))?.label).toBe('< 18')
    expect(colouring.shadeOf(space('b'))).toBeUndefined()
  })

  it('[TIM-01] gives a room the colour of the rounded number that the room shows', () => {
    const { values, colouring } = setUp(temperature)
    values.set('b1', '21.96', at(1), null)
    expect([colouring.textOf(space('b')), colouring.shadeOf(space('b'))?.label]).toEqual(['22.0', '22 – 24'])
    values.set('b1', '21.94', at(2), null)
    expect([colouring.textOf(space('b')), colouring.shadeOf(space('b'))?.label]).toEqual(['21.9', '20 – 22'])
  })

  it('puts each number into exactly one band', () => {
    const { values, colouring } = setUp(temperature)
    for (let i = 0; i < 120; i++) {
      values.set('b1', String(12 + i * 0.25), at(i), null)
      const counts = colouring.legend([space('b')]).map(({ count }) => count)
      expect(counts.reduce((a, b) => a + b)).toBe(1)
    }
  })

  it('adds the unit to numbers, not to texts', () => {
    const { values, colouring } = setUp(temperature)
    values.set('a1', '21.5', at(1), null)
    values.set('b1', 'fault', at(1), null)
    expect([colouring.textOf(space('a')), colouring.unitOf!(space('a'))]).toEqual(['21.5', '°C'])
    expect([colouring.textOf(space('b')), colouring.unitOf!(space('b'))]).toEqual(['fault', ''])
    values.set('b1', '', at(2), null)
    expect([colouring.textOf(space('b')), colouring.shadeOf(space('b'))]).toEqual(['', undefined])
  })

  it('reports the rooms that changed', () => {
    const { values, frame, colouring } = setUp(temperature)
    const reported: string[][] = []
    colouring.watch!((ids) => reported.push([...ids]))
    values.set('a1', '20', at(1), null)
    values.set('a2', '20', at(1), null)
    values.set('elsewhere', '20', at(1), null)
    frame()
    expect(reported).toEqual([['a']])
  })

  it('derives its bands from the readings, and derives them again only when a point reports its first value', () => {
    const { values, colouring } = setUp({ ...temperature, quantityKind: 'VolumeFlowRate', unit: 'L-PER-SEC' })
    expect(colouring.legend([space('a')])).toEqual([])
    values.set('a1', '100', at(1), null)
    values.set('b1', '200', at(1), null)
    const rooms = [space('a'), space('b')]
    const bands = colouring.legend(rooms)
    expect(bands.map(({ count }) => count)).toEqual([1, 0, 0, 0, 1])
    values.set('a1', '-5000', at(2), null)
    expect(colouring.legend(rooms).map(({ label }) => label)).toEqual(bands.map(({ label }) => label))
    expect(colouring.shadeOf(space('a'))?.key).toBe('0')
  })

  it('shows states as text, and adds new states', () => {
    const { values, colouring } = setUp({
      ...temperature,
      quantityKind: 'Dimensionless',
      unit: 'UNITLESS',
      isState: true,
    })
    values.set('a1', '1', at(1), null)
    values.set('b1', 'fault', at(1), null)
    expect([colouring.textOf(space('a')), colouring.textOf(space('b'))]).toEqual(['yes', 'fault'])
    const legend = colouring.legend([space('a'), space('b')])
    expect(legend.filter(({ count }) => count > 0).map(({ label }) => label)).toEqual(['yes', 'fault'])
  })
})
