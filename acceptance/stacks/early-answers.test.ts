import { beforeAll, describe, expect, it } from 'vitest'
import { type CallOptions, call } from '../system/call.ts'
import { newDeveloper, newSandbox } from '../system/shared.ts'

/** The client must get the response, although the service refuses the request before it has received the whole body. */
describe('a large body', () => {
  let base: string
  let token: string
  beforeAll(async () => {
    const { connection } = await newSandbox((await newDeveloper()).key)
    base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`
    token = connection.token
  })

  const step = { 'content-type': 'application/x-step' }
  const megabytes = (count: number) => 'x'.repeat(count * 1024 * 1024)
  it.each<[string, string, CallOptions, number]>([
    ['for its credential', '/import/ifc', { body: megabytes(3), headers: step, token: 'x' }, 401],
    ['for its type', '/import/ifc', { body: megabytes(3), headers: { 'content-type': 'text/plain' } }, 415],
    ['for a parameter', '/import/ifc?replace=x', { body: megabytes(3), headers: step }, 400],
    ['for its size', '/spaces', { body: `"${megabytes(11)}"` }, 413],
    ['for one byte too many', '/spaces', { body: `"${'x'.repeat(1024 * 1024 - 1)}"` }, 413],
    [
      'for the size of its CSV',
      '/import/elements?sourceSystem=x',
      { body: megabytes(12), headers: { 'content-type': 'text/csv' } },
      413,
    ],
  ])('[ERR-15, ERR-19, ERR-20] is refused %s, and the client gets the response', async (_, path, options, status) => {
    for (let i = 0; i < 4; i++) {
      const answer = await call(base + path, { token, ...options })
      expect({ status: answer.status, code: typeof answer.json.code, detail: answer.json.detail }).toEqual({
        status,
        code: 'string',
        detail: expect.any(String),
      })
    }
    expect((await call(base, { token })).status).toBe(200)
  })

  it('[ERR-19] is accepted up to exactly 10 MB on routes for bulk data', async () => {
    const text = (bytes: number) => {
      const body = JSON.stringify({ observations: [{ pointId: 'nowhere', value: '1' }] })
      return body + ' '.repeat(bytes - body.length)
    }
    const observations = `${base}/telemetry/observations`
    const read = await call(observations, { token, body: text(10_485_760) })
    expect(read.json).toMatchObject({ status: 400, code: 'UNKNOWN_POINTS' })
    const refused = await call(observations, { token, body: text(10_485_761) })
    expect(refused.json).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' })
  })
})
