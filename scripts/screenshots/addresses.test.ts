import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { addressOf, routePatterns } from './addresses.ts'

describe('the addresses of the pictures', () => {
  it('are those of all routes', () => {
    const source = readFileSync('packages/shell/src/routes.ts', 'utf8')
    const patterns = routePatterns(source)
    expect(patterns).toEqual(expect.arrayContaining(['/', '/plan', '/rooms/:id', '/sandbox/:slug']))
    expect(patterns).toHaveLength(source.match(/page: lazy\(/g)!.length)
  })

  it('have an example for each parameter', () => {
    expect(addressOf('/rooms/:id', { rooms: 'a' })).toBe('/rooms/a')
    expect(() => addressOf('/teams/:id', {})).toThrow('Add an example for /teams/:id')
  })
})
