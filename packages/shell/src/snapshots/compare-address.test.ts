import { expect, it } from 'vitest'
import { compareAddress } from './compare-address.ts'

it('compareAddress compares with the current building or with another snapshot, whatever the names contain', () => {
  expect(compareAddress('Handover', undefined)).toBe('/history?from=Handover')
  expect(compareAddress('Wing A & B', 'C#1')).toBe('/history?at=C%231&from=Wing+A+%26+B')
})
