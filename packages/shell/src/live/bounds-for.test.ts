import { expect, it } from 'vitest'
import { boundsFor } from './bounds-for.ts'

const ANY = {
  ...{ pointId: null, pointName: null, quantityKind: null, unit: null, pointType: null, elementTypeSlug: null },
  below: null,
}
const point = {
  id: 'p',
  name: 'Zone temperature',
  quantityKind: 'Temperature',
  unit: 'DEG_C',
  pointType: 'SENSOR',
} as const

it('finds the bounds of the rules whose fields match the point', () => {
  const rules = [
    { ...ANY, quantityKind: 'Temperature', above: 30, below: 5 },
    { ...ANY, quantityKind: 'Temperature', elementTypeSlug: 'vav', above: 40 },
    { ...ANY, quantityKind: 'MoleFraction', above: 2000 },
    { ...ANY, pointId: 'p', above: 26 },
    { ...ANY, pointId: 'other', above: 27 },
    { ...ANY, pointName: 'Zone temperature', above: 28 },
    { ...ANY, pointName: 'Discharge air temperature', above: 29 },
  ]
  expect(boundsFor(rules, point, { elementTypeSlug: 'thermostat' })).toEqual([30, 5, 26, 28])
  expect(boundsFor(rules, point, { elementTypeSlug: 'vav' })).toEqual([30, 5, 40, 26, 28])
})
