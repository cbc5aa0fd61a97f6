import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts'
import { traffic } from '../testing/traffic/traffic.ts'
import { answerAsRequested, sendAsVictim, tryTraffic } from '../testing/traffic/try-traffic.ts'

describe('traffic', () => {
  let test: TestGateway
  beforeAll(async () => {
    test = await startTestGateway({
      answer: answerAsRequested,
      onlySlug: 'a',
      controlPlane: (_request, response) => void response.writeHead(404).end(),
    })
  })
  afterAll(() => test.close())

  it('[HST-29, HST-30, HST-31] of any form reaches its stack as it was sent or not at all', async () => {
    const over = new AbortController()
    const victim = sendAsVictim(test, '127.0.9.1', over.signal)
    await fc.assert(
      fc.asyncProperty(traffic, async (sent) => {
        expect(await tryTraffic(test, sent)).toBeUndefined()
      }),
      { numRuns: 75 },
    )
    over.abort()
    const { answered, mixed, lost } = await victim
    expect({ mixed, lost }).toEqual({ mixed: 0, lost: 0 })
    expect(answered).toBeGreaterThan(10)
    expect(test.stack.refused).toEqual([])
  })

  it('[HST-29] for an unknown host is read to its end, and the next request is parsed separately', async () => {
    const hidden = 'GET /smuggled HTTP/1.1\r\nHost: a.localhost\r\nX-Marker: smuggled\r\n\r\n'
    const bytes =
      `TRACE /a HTTP/1.1\r\nHost: a.localhosxX-Marker: m0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}` +
      'POST /b HTTP/1.1\r\nHost: a.localhost\r\nX-Marker: m1\r\nContent-Length: 2\r\n\r\nok'
    expect(await tryTraffic(test, { bytes, cuts: [] })).toBeUndefined()
    expect(await tryTraffic(test, { bytes, cuts: 'every' })).toBeUndefined()
    expect(test.stack.seen.some(({ url }) => url === '/smuggled')).toBe(false)
  })
})
