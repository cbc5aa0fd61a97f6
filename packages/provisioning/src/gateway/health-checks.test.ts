import { afterEach, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../testing/test-gateway.ts'

let test: TestGateway
afterEach(() => test.close())

/** The status of the response of a gateway whose control plane answers every request. */
async function statusOf(head: string, options: TestGatewayOptions): Promise<number> {
  test = await startTestGateway(options)
  const client = await test.connect()
  client.write(`${head}\r\n\r\n`)
  return Number(/^HTTP\/1\.1 (\d+)/.exec(await client.until((received) => received.includes('\r\n\r\n')))?.[1])
}

const trusted: TestGatewayOptions = { isHealthChecker: (address) => address === '127.0.0.1' }
const proxied: TestGatewayOptions = { trustedProxies: ['127.0.0.0/8'] }

describe('a health check', () => {
  it.each([
    [
      'the address of the machine in Host, from a trusted address,',
      'GET /healthz HTTP/1.1\r\nHost: 10.0.0.7:4000',
      trusted,
    ],
    ['an unknown name in Host, from a trusted address,', 'GET /readyz?verbose HTTP/1.1\r\nHost: storey-7d9f', trusted],
    ['no Host, from a trusted address,', 'GET /healthz HTTP/1.0', trusted],
    [
      'the address of the machine in Host, from a trusted proxy itself,',
      'HEAD /healthz HTTP/1.1\r\nHost: 10.0.0.7',
      proxied,
    ],
  ])('[HST-72] with %s is answered', async (_what, head, options) => {
    expect(await statusOf(head, options)).toBe(200)
  })

  it.each([
    ['from another address', 'GET /healthz HTTP/1.1\r\nHost: 10.0.0.7', { isHealthChecker: () => false }],
    [
      'from a client behind a trusted proxy',
      'GET /healthz HTTP/1.1\r\nHost: 10.0.0.7\r\nX-Forwarded-For: 9.9.9.9',
      proxied,
    ],
    ['for another path', 'GET /healthz/x HTTP/1.1\r\nHost: 10.0.0.7', trusted],
    ['for the API', 'GET /api/v1/sandboxes HTTP/1.1\r\nHost: 10.0.0.7', trusted],
    [
      'for a name below the domain of sandboxes',
      'GET /healthz HTTP/1.1\r\nHost: nobody.localhost',
      { ...trusted, goneSlug: 'nobody' },
    ],
  ])('[HST-05, HST-72] %s is answered with 404, like any request to an unknown host', async (_what, head, options) => {
    expect(await statusOf(head, options)).toBe(404)
  })
})
