import type { DataLayer } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { shownChoice } from './shown-choice.ts'
import type { Signal } from './signals.ts'

const signal = (id: string, quantityKind: string) => ({ id, quantityKind, isState: false }) as Signal
const signals = [signal('Flow~L', 'VolumeFlowRate'), signal('Zone~C', 'Temperature')]
const layers = [{ id: '1', key: 'fruit' } as DataLayer]
const shown = (asked: string | null, known: DataLayer[] | undefined = layers) => {
  const { id, missing } = shownChoice(asked, signals, known)
  return [id, missing]
}

describe('what a plan is coloured by', () => {
  it('is what the address asks for', () => {
    for (const asked of ['type', 'layer:fruit', 'live:Flow~L']) expect(shown(asked)).toEqual([asked, undefined])
  })

  it('is the temperature where it asks for nothing, or for what is not there, which is told', () => {
    expect(shown(null)).toEqual(['live:Zone~C', undefined])
    for (const asked of ['layer:nope', 'live:nope', 'nope', '']) expect(shown(asked)).toEqual(['live:Zone~C', asked])
    expect(shownChoice(null, [], layers).id).toBe('type')
  })

  it('waits for a layer as long as the layers are not known', () => {
    const { id, layer, missing } = shownChoice('layer:nope', signals, undefined)
    expect([id, layer, missing]).toEqual(['layer:nope', undefined, undefined])
  })
})
