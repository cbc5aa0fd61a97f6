import { describe, expect, it } from 'vitest'
import { matchPath } from './match-path.ts'

describe('matchPath', () => {
  it('returns the parameters', () => {
    expect(matchPath('/sandboxes/:id/connect', '/sandboxes/sbx_1/connect')).toEqual({ id: 'sbx_1' })
    expect(matchPath('/rooms/:id', '/rooms/a%20b/')).toEqual({ id: 'a b' })
    expect(matchPath('/', '/')).toEqual({})
  })

  it('returns undefined for another path', () => {
    for (const path of ['/sandboxes', '/sandboxes/', '/sandboxes/a/b', '/rooms/a']) {
      expect(matchPath('/sandboxes/:id', path)).toBeUndefined()
    }
  })

  it('keeps a parameter that cannot be decoded', () => {
    expect(matchPath('/rooms/:id', '/rooms/%E0%A4%A')).toEqual({ id: '%E0%A4%A' })
  })
})
