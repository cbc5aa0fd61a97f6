import { describe, expect, it } from 'vitest'
import { permits } from './permits.ts'

describe('a range of versions', () => {
  it.each([
    ['1.2.3', '1.2.3'],
    ['^1.2.0', '1.9.0'],
    ['^1', '1.0.0'],
    ['^0.30.21', '0.30.22'],
    ['^0.0.3', '0.0.3'],
    ['~8.3.8', '8.3.9'],
    ['>=20', '24.1.0'],
    ['^20.0.0 || >=24.0.0', '26.1.0'],
    ['*', '4.0.0'],
  ])('%s permits %s', (range, version) => expect(permits(range, version)).toBe(true))

  it.each([
    ['1.2.3', '1.2.4'],
    ['^1.2.0', '1.1.9'],
    ['^1.2.0', '2.2.0'],
    ['^0.30.21', '0.31.0'],
    ['^0.0.3', '0.0.4'],
    ['~8.3.8', '8.4.0'],
    ['>=20', '18.20.0'],
    ['^1.2.0', '1.3.0-beta.1'],
    ['1 - 3', '2.0.0'],
  ])('%s does not permit %s, or cannot be read', (range, version) => expect(permits(range, version)).toBe(false))
})
