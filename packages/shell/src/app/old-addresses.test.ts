import { describe, expect, it } from 'vitest'
import { currentAddress } from './old-addresses.ts'

describe('old addresses', () => {
  const at = (path: string, query = '') => currentAddress(path, new URLSearchParams(query))

  it('lead from / to the plan with the same query', () => {
    expect(at('/', 'storey=L1&room=a&other=x')).toBe('/plan?storey=L1&room=a&other=x')
    expect(at('/', 'colour=layer%3Afruit')).toBe('/plan?colour=layer%3Afruit')
  })

  it('leave other addresses as they are', () => {
    for (const path of ['/', '/plan', '/faults']) expect(at(path, 'heat=type')).toBeUndefined()
    expect(at('/plan', 'storey=L1')).toBeUndefined()
  })
})
