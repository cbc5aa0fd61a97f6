import { expect, it } from 'vitest'
import { layerKey } from './layer-key.ts'

it.each([
  ['Cleaning plan', 'cleaning-plan'],
  ['План уборки', 'plan-uborki'],
  ['Zählerstände (m³)', 'zahlerstande-m'],
  ['7', 'layer-7'],
  ['空調', 'layer'],
])('derives a key from %j', (name, key) => {
  expect(layerKey(name, new Set())).toBe(key)
})

it('adds a number to a key that another layer has', () => {
  expect(layerKey('Leases', new Set(['leases', 'leases-2']))).toBe('leases-3')
})
