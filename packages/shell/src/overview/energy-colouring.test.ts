import type { SpaceNode } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { energyColouring } from './energy-colouring.ts'

const room = (storeyId: string, areaSqm: number) => ({ storeyId, areaSqm }) as SpaceNode

describe('the rooms coloured by energy', () => {
  const spaces: Record<string, SpaceNode[]> = { L0: [room('L0', 50), room('L0', 150)], L1: [room('L1', 100)] }
  const kwh = new Map([
    ['L0', 20],
    ['L1', 50],
  ])
  const texts = { title: 'Energy', unit: 'Wh/m²', number: String, theme: 'light' } as const
  const colouring = energyColouring(kwh, (id) => spaces[id] ?? [], texts)

  it('have one colour for each storey, by its consumption per square metre', () => {
    const shades = [...spaces.L0!, ...spaces.L1!].map((space) => colouring.shadeOf(space)?.label)
    expect(shades[0]).toBe(shades[1])
    expect(shades[2]).not.toBe(shades[0])
    expect([colouring.textOf(spaces.L0![0]!), colouring.textOf(spaces.L1![0]!)]).toEqual(['100', '500'])
  })

  it('have no colour on a storey without a meter', () => {
    expect(colouring.shadeOf(room('L9', 10))).toBeUndefined()
    expect(colouring.textOf(room('L9', 10))).toBeUndefined()
  })
})
