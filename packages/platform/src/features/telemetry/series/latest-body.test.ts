import { describe, expect, it } from 'vitest'
import { LatestBody } from './latest-body.ts'

const asOf = (bytes: Buffer) => JSON.parse(bytes.toString()).asOf
const [first, second, third] = [1, 2, 3].map((hour) => new Date(Date.UTC(2026, 2, 1, hour)))

describe('the response with the last values', () => {
  it('[HIS-15] is JSON with the rows and, as `asOf`, the time of the response', () => {
    expect(JSON.parse(new LatestBody('{"a":1},{"a":2}').use(first!).bytes.toString())).toEqual({
      data: [{ a: 1 }, { a: 2 }],
      asOf: first!.toISOString(),
    })
  })

  it('[HIS-15] does not change while it is sent, and a later response reuses its bytes', () => {
    const body = new LatestBody('"é"')
    const slow = body.use(first!)
    const other = body.use(second!)
    expect([slow, other].map(({ bytes }) => asOf(bytes))).toEqual([first!.toISOString(), second!.toISOString()])
    for (const { release } of [slow, slow, other]) release()
    const next = body.use(third!)
    expect(asOf(next.bytes)).toBe(third!.toISOString())
    expect(next.bytes.buffer).toBe(slow.bytes.buffer)
  })
})
