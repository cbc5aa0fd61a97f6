import { describe, expect, it } from 'vitest'
import { matchPath } from './match-path.ts'

describe('a path', () => {
  it('gives its named parts', () => {
    expect(matchPath('/sandboxes/:id/connect', '/sandboxes/sbx_1/connect')).toEqual({ id: 'sbx_1' })
    expect(matchPath('/rooms/:id', '/rooms/a%20b/')).toEqual({ id: 'a b' })
    expect(matchPath('/', '/')).toEqual({})
  })

  it('is another where anything differs', () => {
    for (const path of ['/sandboxes', '/sandboxes/', '/sandboxes/a/b', '/rooms/a']) {
      expect(matchPath('/sandboxes/:id', path)).toBeUndefined()
    }
  })

  it('that cannot be decoded is taken as it is', () => {
    expect(matchPath('/rooms/:id', '/rooms/%E0%A4%A')).toEqual({ id: '%E0%A4%A' })
  })
})
