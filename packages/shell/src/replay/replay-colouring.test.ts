import { rampOf } from '@storey/contract'
import type { SpaceNode } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { LOW_TO_HIGH, type Theme } from '../colouring/bands.ts'
import type { Signal } from '../colouring/signals.ts'
import { valueFormat } from '../live/format-value.ts'
import type { Frames } from './frames.ts'
import { replayColouring } from './replay-colouring.ts'
import { windowFor } from './window.ts'

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
const temperature = { id: 'T', name: 'T', quantityKind: 'Temperature', unit: 'DEG_C', isState: false } as Signal
const window = windowFor('day', Date.parse('2026-03-10T12:07:00Z'))

function replay(
  rows: Record<string, number[]>,
  signal = temperature,
  kind: Frames['kind'] = 'measured',
  theme: Theme = 'light',
) {
  const ids = Object.keys(rows)
  const frames: Frames = {
    rooms: new Map(ids.map((id, i) => [id, i])),
    count: rows[ids[0]!]!.length,
    kind,
    values: Float64Array.from(Object.values(rows).flat()),
  }
  return replayColouring(signal, frames, window, { ...texts, theme })
}

describe('a plan coloured by a replay', () => {
  it('shows the values and colours of a frame, and the time', () => {
    const colouring = replay({ a: [19, 21.96], b: [25, Number.NaN] })
    colouring.show(1, false)
    expect([colouring.textOf(space('a')), colouring.shadeOf(space('a'))?.label]).toEqual(['22.0', '22 – 24'])
    expect(colouring.atOf!(space('a'))).toBe(window.from + window.stepMs)
    expect([colouring.textOf(space('b')), colouring.shadeOf(space('b'))]).toEqual([undefined, undefined])
    expect(colouring.textOf(space('unknown'))).toBeUndefined()
  })

  it('reports the rooms that change', () => {
    const colouring = replay({ a: [19, 21], b: [25, 25], c: [Number.NaN, Number.NaN] })
    const reported: string[][] = []
    const end = colouring.watch!((ids) => reported.push([...ids]))
    colouring.show(1, false)
    colouring.show(1, false)
    end()
    colouring.show(0, false)
    expect(reported).toEqual([['a']])
  })

  it('changes colours immediately while the replay plays, and the labels of all rooms within eight frames', () => {
    const rows = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`r${i}`, [20.1, i === 7 ? 23 : 20.2]]))
    const colouring = replay(rows)
    const sizes: number[] = []
    const seen = new Set<string>()
    colouring.watch!((ids) => {
      sizes.push(ids.size)
      for (const id of ids) seen.add(id)
    })
    colouring.show(1, true)
    expect(colouring.shadeOf(space('r7'))?.label).toBe('22 – 24')
    for (let i = 0; i < 7; i++) colouring.show(1, true)
    expect([seen.size, Math.max(...sizes) <= 6]).toEqual([40, true])
  })

  it('never shows a value that contradicts the colour of the room while the replay plays', () => {
    const rows = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        `r${i}`,
        Array.from({ length: 50 }, (_, f) => 22 + 6 * Math.sin(i + f / 3)),
      ]),
    )
    const colouring = replay(rows)
    for (let frame = 0; frame < 50; frame++) {
      colouring.show(frame, true)
      for (const id of Object.keys(rows)) {
        const shown = Number(colouring.textOf(space(id)))
        const [low = -Infinity, high = Infinity] = boundsIn(colouring.shadeOf(space(id))!.label)
        expect(low <= shown && shown < high).toBe(true)
      }
    }
  })

  it('derives the bands from the whole range, so that the legend stays the same', () => {
    const flow = { ...temperature, quantityKind: 'VolumeFlowRate', unit: 'L-PER-SEC' }
    const colouring = replay({ a: [0, 100], b: [50, 50] }, flow)
    const before = colouring.legend([]).map(({ label }) => label)
    colouring.show(1, false)
    expect(colouring.legend([]).map(({ label }) => label)).toEqual(before)
    expect(colouring.countAt(1).reduce((a, b) => a + b)).toBe(2)
  })

  it('has equally many rooms in each band of consumption, even if one room consumes much more than the others', () => {
    const energy = { ...temperature, quantityKind: 'ActiveEnergy', unit: 'KiloW-HR' }
    const rows = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`r${i}`, [i === 9 ? 500 : i]]))
    const colouring = replay(rows, energy, 'consumed')
    expect(colouring.countAt(0)).toEqual([2, 2, 2, 2, 2])
  })

  it('has the colours of the theme, also in bands of consumption', () => {
    const energy = { ...temperature, quantityKind: 'ActiveEnergy', unit: 'KiloW-HR' }
    const rows = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`r${i}`, [i]]))
    for (const kind of ['measured', 'consumed'] as const) {
      const colors = (theme: Theme) => replay(rows, energy, kind, theme).tones.map(({ color }) => color)
      expect(colors('light')).toEqual(rampOf([0, 1]).map(({ color }) => color))
      expect(colors('dark')).toEqual(LOW_TO_HIGH.dark)
    }
  })

  it('shows states as text', () => {
    const state = { ...temperature, quantityKind: 'Dimensionless', unit: 'UNITLESS', isState: true }
    const colouring = replay({ a: [0, 1], b: [2, 2] }, state)
    colouring.show(1, false)
    expect([colouring.textOf(space('a')), colouring.textOf(space('b'))]).toEqual(['yes', '2'])
    expect(colouring.unitOf!(space('a'))).toBe('')
  })
})

const boundsIn = (label: string): (number | undefined)[] => {
  const [first, second] = label.match(/[\d.]+/g)!.map(Number)
  if (label.startsWith('<')) return [undefined, first]
  return [first, second]
}
