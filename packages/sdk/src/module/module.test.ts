import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { PlatformProvider, testPlatform, useBuilding, usePlatform, useToken } from './index.ts'

function Shell() {
  const { buildingId, user, client, live } = usePlatform()
  const { loading } = useBuilding()
  const facts = { token: useToken(), buildingId, user: user.name, url: client.url, loading, live: live === undefined }
  return createElement('pre', null, JSON.stringify(facts))
}

const shown = (html: string) => JSON.parse(html.replace(/<\/?pre>/g, '').replaceAll('&quot;', '"'))

describe('the module context', () => {
  it('[SDK-08] provides the token and the building', () => {
    const value = testPlatform({ token: 'token-1', buildingId: 'building-1', apiUrl: 'http://tower.localhost:4000' })
    const html = renderToString(createElement(PlatformProvider, { value }, createElement(Shell)))
    expect(shown(html)).toEqual({
      token: 'token-1',
      buildingId: 'building-1',
      user: 'Test User',
      url: 'http://tower.localhost:4000',
      loading: true,
      live: true,
    })
  })

  it('throws a helpful error outside of a PlatformProvider', () => {
    expect(() => renderToString(createElement(Shell))).toThrow('There is no platform here')
  })

  it('has a platform for tests, with prepared responses', async () => {
    const { client, buildingId, getToken } = testPlatform({
      answers: { 'GET /api/v1/buildings/test-building/points': () => ({ data: [], total: 0, limit: 50, offset: 0 }) },
    })
    expect(await client.building(buildingId).get()).toMatchObject({ id: 'test-building', name: 'Test building' })
    expect((await client.building(buildingId).points.list()).total).toBe(0)
    expect(await getToken()).toBe('test-token')
    await expect(client.webhooks.list()).rejects.toThrow('The test has no answer to GET /api/v1/webhooks')
  })
})
