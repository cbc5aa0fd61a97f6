import { describe, expect, it } from 'vitest'
import { currentAddress } from './old-addresses.ts'

describe('currentAddress', () => {
  const at = (path: string, query = '') => currentAddress(path, new URLSearchParams(query))

  it('returns the address of the plan for / with a parameter of the plan, and keeps the query', () => {
    expect(at('/', 'storey=L1&room=a&other=x')).toBe('/plan?storey=L1&room=a&other=x')
    expect(at('/', 'colour=layer%3Afruit')).toBe('/plan?colour=layer%3Afruit')
  })

  it('returns undefined for an address that is not old', () => {
    for (const path of ['/', '/plan', '/faults']) expect(at(path, 'heat=type')).toBeUndefined()
    expect(at('/plan', 'storey=L1')).toBeUndefined()
  })
})
