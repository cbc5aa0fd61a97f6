import type { DataLayer, LayerValueRecord, SpaceNode } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { valueFormat } from '../live/format-value.ts'
import { layerColouring } from './layer-colouring.ts'

const room = (id: string) => ({ id }) as SpaceNode
const layerOf = (fields: Partial<DataLayer>) => ({ key: 'k', name: 'K', legend: null, ...fields }) as DataLayer
const valuesOf = (values: Record<string, number | string | boolean>) =>
  new Map(
    Object.entries(values).map(([entityId, value]) => [
      entityId,
      { entityId, externalId: null, value, updatedAt: '2026-03-01T12:00:00.000Z' } as LayerValueRecord,
    ]),
  )

describe('a plan coloured by a layer', () => {
  it('has one shade for each category, in alphabetical order', () => {
    const colouring = layerColouring(layerOf({ valueType: 'ENUM' }), valuesOf({ a: 'wet', b: 'dry', c: 'dry' }))
    const rooms = ['a', 'b', 'c', 'd'].map(room)
    expect(colouring.legend(rooms).map(({ label, count }) => [label, count])).toEqual([
      ['dry', 2],
      ['wet', 1],
    ])
    expect(colouring.shadeOf(room('a'))?.label).toBe('wet')
    expect(colouring.shadeOf(room('d'))).toBeUndefined()
  })

  it('groups all categories after the tenth', () => {
    const names = Array.from({ length: 13 }, (_, i) => `c${String(i).padStart(2, '0')}`)
    const colouring = layerColouring(
      layerOf({ valueType: 'STRING' }),
      valuesOf(Object.fromEntries(names.map((name) => [name, name]))),
    )
    const legend = colouring.legend(names.map(room))
    expect(legend.at(-1)).toMatchObject({ label: 'прочее (3)', count: 3 })
    expect(colouring.shadeOf(room('c12'))?.label).toBe('прочее (3)')
    expect(colouring.textOf(room('c12'))).toBe('c12')
  })

  it('shows booleans as да and нет in every language', () => {
    const colouring = layerColouring(layerOf({ valueType: 'BOOLEAN' }), valuesOf({ a: true, b: false }))
    expect([colouring.textOf(room('a')), colouring.textOf(room('b'))]).toEqual(['да', 'нет'])
  })

  it('uses the legend of the layer, and no colour for values outside it', () => {
    const legend = [
      { min: 0, max: 10, label: 'Low', color: '#00ff00' },
      { min: 10, max: 20, label: 'High', color: '#ff0000' },
    ]
    const colouring = layerColouring(layerOf({ valueType: 'NUMBER', legend }), valuesOf({ a: 10, b: 15, c: 99 }))
    expect([room('a'), room('b'), room('c')].map((space) => colouring.shadeOf(space)?.color)).toEqual([
      '#00ff00',
      '#ff0000',
      undefined,
    ])
    expect(colouring.textOf(room('c'))).toBe('99')
  })

  it('[SHL-23] shows the label of the legend instead of the raw value of a category', () => {
    const legend = [{ value: 'a1', label: 'Lease runs', color: '#00ff00' }]
    const colouring = layerColouring(layerOf({ valueType: 'ENUM', legend }), valuesOf({ a: 'a1', b: 'b2' }))
    expect([colouring.textOf(room('a')), colouring.textOf(room('b'))]).toEqual(['Lease runs', 'b2'])
  })

  it('[TIM-01] shows a number with enough decimals to tell on which side of a bound it is', () => {
    const legend = [
      { min: 0, max: 99.99, label: 'Low', color: '#00ff00' },
      { min: 100, max: 200, label: 'High', color: '#ff0000' },
    ]
    const values = valuesOf({ a: 99.96, b: 100, c: 150.4 })
    const { number } = valueFormat('en')
    const format = (value: number, bounds: readonly number[]) => number(value, '', bounds)
    const colouring = layerColouring(layerOf({ valueType: 'NUMBER', legend }), values, format)
    expect(['a', 'b', 'c'].map((id) => colouring.textOf(room(id)))).toEqual(['99.96', '100', '150'])
  })

  it('ignores a legend that matches no value', () => {
    const legend = [{ value: 'none', label: 'None', color: '#000000' }]
    const colouring = layerColouring(layerOf({ valueType: 'ENUM', legend }), valuesOf({ a: 'wet' }))
    expect(colouring.legend([room('a')]).map(({ label }) => label)).toEqual(['wet'])
  })
})
