import { bearer, createPlatformClient } from '@storey/sdk'
import { expect, it } from 'vitest'
import { readFaults } from './read-faults.ts'

const asked: string[] = []
const fetch = async (url: string) => {
  const query = new URL(url).searchParams
  asked.push(`${query.get('offset')}+${query.get('limit')}`)
  const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))]
  const all = Array.from({ length: 450 }, (_, n) => ({ id: `fault-${n}` }))
  return Response.json({ data: all.slice(offset, offset + limit), total: all.length, limit, offset })
}
const api = createPlatformClient({ url: 'http://sandbox.localhost', credential: bearer('token'), fetch }).building('b')
const { signal } = new AbortController()

it('reads faults page by page, up to the limit', async () => {
  const all = await readFaults(api, { limit: 1000 }, signal)
  expect(all.rows.map(({ id }) => id)).toEqual(Array.from({ length: 450 }, (_, n) => `fault-${n}`))
  expect(asked.splice(0)).toEqual(['0+200', '200+200', '400+200'])
  const some = await readFaults(api, { limit: 250 }, signal)
  expect([some.rows.length, some.total]).toEqual([250, 450])
  expect(asked).toEqual(['0+200', '200+50'])
})
