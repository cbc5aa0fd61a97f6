import type { DataLayer } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { resolveChoice } from './resolve-choice.ts'
import type { Signal } from './signals.ts'

const signal = (id: string, quantityKind: string) => ({ id, quantityKind, isState: false }) as Signal
const signals = [signal('Flow~L', 'VolumeFlowRate'), signal('Zone~C', 'Temperature')]
const layers = [{ id: '1', key: 'fruit' } as DataLayer]
const shown = (requested: string | null, known: DataLayer[] | undefined = layers) => {
  const { id, missing } = resolveChoice(requested, signals, known)
  return [id, missing]
}

describe('the colouring of the plan', () => {
  it('comes from the URL', () => {
    for (const requested of ['type', 'layer:fruit', 'live:Flow~L'])
      expect(shown(requested)).toEqual([requested, undefined])
  })

  it('defaults to the temperature, and reports a requested colouring that does not exist', () => {
    expect(shown(null)).toEqual(['live:Zone~C', undefined])
    for (const requested of ['layer:nope', 'live:nope', 'nope', ''])
      expect(shown(requested)).toEqual(['live:Zone~C', requested])
    expect(resolveChoice(null, [], layers).id).toBe('type')
  })

  it('waits for a layer while the layers are loading', () => {
    const { id, layer, missing } = resolveChoice('layer:nope', signals, undefined)
    expect([id, layer, missing]).toEqual(['layer:nope', undefined, undefined])
  })
})
