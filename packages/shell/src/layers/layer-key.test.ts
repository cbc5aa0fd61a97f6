import { expect, it } from 'vitest'
import { layerKey } from './layer-key.ts'

it.each([
  ['Cleaning plan', 'cleaning-plan'],
  ['План уборки', 'plan-uborki'],
  ['Zählerstände (m³)', 'zahlerstande-m'],
  ['7', 'layer-7'],
  ['空調', 'layer'],
])('makes a key of %j', (name, key) => {
  expect(layerKey(name, new Set())).toBe(key)
})

it('makes a key that is not taken', () => {
  expect(layerKey('Leases', new Set(['leases', 'leases-2']))).toBe('leases-3')
})
