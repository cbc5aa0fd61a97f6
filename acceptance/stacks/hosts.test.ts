import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { newDeveloper, newSandbox, systemUrl } from '../system/shared.ts'

describe('the service at each host', () => {
  let first: { apiUrl: string; token: string; buildingId: string }
  let second: { apiUrl: string; token: string; buildingId: string }
  beforeAll(async () => {
    const { key } = await newDeveloper()
    first = (await newSandbox(key)).connection
    second = (await newSandbox(key)).connection
  })

  it('[HST-01, HST-06, HST-07] answers /healthz and /readyz on every known host', async () => {
    for (const url of [systemUrl, first.apiUrl, second.apiUrl]) {
      expect((await call(`${url}/healthz`)).json).toEqual({ status: 'ok' })
      expect((await call(`${url}/readyz`)).json).toMatchObject({ status: 'ready' })
    }
  })

  it.each(['nobody.localhost', 'localhost.example.com', 'example.com', 'a.b.localhost', '..localhost'])(
    '[HST-05, STK-04] answers 404 for the unknown host "%s"',
    async (host) => {
      for (const path of ['/', '/healthz', '/api/v1/sandboxes', '/api/v1/buildings']) {
        const answer = await call(systemUrl + path, { headers: { host } })
        expect(answer.json).toMatchObject({ status: 404, code: 'NOT_FOUND' })
      }
    },
  )

  it('[STK-04] accepts the token of a sandbox only at that sandbox', async () => {
    const own = await call(`${first.apiUrl}/api/v1/buildings`, { token: first.token })
    expect(own.json.data.map((row: { id: string }) => row.id)).toEqual([first.buildingId])
    const other = await call(`${second.apiUrl}/api/v1/buildings`, { token: first.token })
    expect(other.json).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
    const forged = await call(`${second.apiUrl}/api/v1/buildings`, {
      token: first.token,
      headers: { 'x-forwarded-host': new URL(first.apiUrl).host },
    })
    expect(forged.status).toBe(401)
    const foreign = await call(`${first.apiUrl}/api/v1/buildings/${second.buildingId}/spaces`, { token: first.token })
    expect(foreign.json).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  it('[ERR-23] serves the OpenAPI document of each API, and a page that shows it', async () => {
    for (const [url, path] of [
      [systemUrl, '/api/v1/sandboxes'],
      [first.apiUrl, '/api/v1/buildings/{buildingId}/spaces'],
    ] as const) {
      const document = await call(`${url}/api/v1/openapi.json`)
      expect(document.json.openapi).toMatch(/^3\.1/)
      expect(Object.keys(document.json.paths)).toContain(path)
      const page = await call(`${url}/docs`)
      expect(page.headers['content-type']).toContain('text/html')
      expect(page.text).toContain(path)
    }
  })

  it('[STK-05] forwards upgrades to the stack, which answers them itself', async () => {
    const answer = await upgrade(new URL(first.apiUrl).host)
    // The stack, not the gateway, refuses the request, because it lacks Sec-WebSocket-Key.
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(await upgrade('nobody.localhost')).toMatch(/^HTTP\/1\.1 404 /)
    expect((await call(`${first.apiUrl}/healthz`)).status).toBe(200)
  })

  it('[ERR-11, ERR-12] returns errors of a stack in the same format as those of the control plane', async () => {
    const refused = await call(`${first.apiUrl}/api/v1/buildings?colour=red`, { token: first.token })
    expect(refused.json).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', errors: [{ pointer: '/colour' }] })
    expect(refused.json.requestId).toBe(refused.headers['x-request-id'])
  })
})

function upgrade(host: string): Promise<string> {
  const { port } = new URL(systemUrl)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      if (text.includes('\r\n\r\n')) {
        socket.destroy()
        resolve(text)
      }
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
    socket.write(
      `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    )
  })
}
