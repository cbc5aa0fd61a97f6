import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { addressOf, pictureName, portalAddresses, routePatterns } from './addresses.ts'

describe('the addresses of the pictures', () => {
  it('include every route of the console', () => {
    const source = readFileSync('packages/shell/src/routes.ts', 'utf8')
    const patterns = routePatterns(source)
    expect(patterns).toEqual(expect.arrayContaining(['/', '/plan', '/rooms/:id', '/sandbox/:slug']))
    expect(patterns).toHaveLength(source.match(/page: lazy\(/g)!.length)
  })

  it('include every page of the portal', () => {
    const source = readFileSync('packages/portal/src/app/pages.tsx', 'utf8')
    const paths = [...source.matchAll(/'(\/[^']*)'(?:: \(\)|, path)/g)].map(([, path]) => path!)
    // `/sandboxes` shows the same list as `/`, and `/sandboxes/:id/console` redirects to the console.
    const pages = paths.filter((path) => path !== '/sandboxes' && path !== '/sandboxes/:id/console')
    expect(pages.length).toBeGreaterThan(5)
    const addresses = portalAddresses({ sandboxId: 'ID' })
    expect(addresses).toEqual(expect.arrayContaining(pages.map((path) => path.replace(':id', 'ID'))))
  })

  it('give each picture a name of its own', () => {
    const id = '01912345-1234-7123-8123-0123456789ab'
    expect(
      ['/', '/layers', `/layers/${id}`, `/rooms/${id}?view=table`, '/sandboxes/sbx_1a/connect'].map(pictureName),
    ).toEqual(['-start', '-layers', '-layers-id', '-rooms-id-view-table', '-sandboxes-id-connect'])
  })

  it('contain an example for each parameter, and are refused without an example', () => {
    expect(addressOf('/rooms/:id', { rooms: 'a' })).toBe('/rooms/a')
    expect(() => addressOf('/teams/:id', {})).toThrow('Add an example for /teams/:id')
  })
})
