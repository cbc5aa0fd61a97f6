import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bearer, connectLive, createPlatformClient } from '../../packages/sdk/src/index.ts'
import { newDeveloper, newSandbox, systemUrl } from '../system/shared.ts'
import { openBrowser } from './browser.ts'

let browser: Awaited<ReturnType<typeof openBrowser>>
let pages: Server
let connection: { apiUrl: string; pathUrl: string; token: string; buildingId: string }

beforeAll(async () => {
  pages = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Elsewhere</title>')
  })
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
  browser = await openBrowser()
  connection = (await newSandbox((await newDeveloper()).key, { storeys: 1, spacesMin: 2, spacesMax: 3 })).connection
})
afterAll(async () => {
  await browser?.close()
  await new Promise((resolve) => pages?.close(resolve))
})

/**
 * On a page of this origin, changes the first space with If-Match. Returns what the page could read of the response.
 */
async function changeFrom(origin: string) {
  const { page, close } = await browser.visit({ ignore: [/CORS/, /ERR_FAILED/] })
  await page.goto(origin)
  const result = await page.evaluate(async ({ apiUrl, token, buildingId }) => {
    const authorization = `Bearer ${token}`
    try {
      const all = `${apiUrl}/api/v1/buildings/${buildingId}/spaces`
      const { data } = await (await fetch(`${all}?limit=1`, { headers: { authorization } })).json()
      const read = await fetch(`${all}/${data[0].id}`, { headers: { authorization } })
      const headers = { authorization, 'content-type': 'application/json', 'if-match': read.headers.get('etag') ?? '' }
      const body = JSON.stringify({ name: 'From elsewhere' })
      const changed = await fetch(`${all}/${data[0].id}`, { method: 'PATCH', headers, body })
      return { status: changed.status, name: (await changed.json()).name }
    } catch (err) {
      return { error: String(err) }
    }
  }, connection)
  await close()
  return result
}

describe('a page of another origin', () => {
  const port = () => (pages.address() as AddressInfo).port

  it('[HST-46] reads and changes a sandbox, if the host of the page is localhost or 127.0.0.1', async () => {
    expect(await changeFrom(`http://localhost:${port()}`)).toEqual({ status: 200, name: 'From elsewhere' })
    expect(await changeFrom(`http://127.0.0.1:${port()}`)).toMatchObject({ status: 200 })
  })

  it('[HST-46] can read nothing, if its origin is not allowed', async () => {
    expect(await changeFrom(`http://elsewhere.localhost:${port()}`)).toEqual({
      error: expect.stringContaining('TypeError'),
    })
  })
})

describe('a path address', () => {
  it('[HST-47] serves the API and the live channel to a program', async () => {
    const { pathUrl, token, buildingId } = connection
    expect(pathUrl).toBe(`${systemUrl}/s/${new URL(connection.apiUrl).hostname.split('.')[0]}`)
    const credential = bearer(token)
    const building = createPlatformClient({ url: pathUrl, credential }).building(buildingId)
    const [point] = (await building.points.list({ limit: 1 })).data
    const live = connectLive({ url: pathUrl, credential, buildingId })
    await live.ready
    const received = new Promise<string>((resolve) => {
      live.on('building.point.updated', ({ observations }) => resolve(observations[0]!.pointId))
    })
    await building.telemetry.ingest([{ pointId: point!.id, value: '21.5' }])
    expect(await received).toBe(point!.id)
    live.close()
  })
})

describe('a browser at the address of an unknown sandbox', () => {
  it('[HST-48] shows a page with a link to the portal', async () => {
    const { page, close } = await browser.visit({ ignore: [/404/] })
    await page.goto(`http://no-such-sandbox.localhost:${new URL(systemUrl).port}/`)
    await page.getByRole('heading', { name: 'No such sandbox' }).waitFor()
    await page.getByRole('link', { name: 'Your sandboxes' }).click()
    await page.waitForURL(/realms|sign-in|localhost:\d+\/$/)
    await close()
  })
})
