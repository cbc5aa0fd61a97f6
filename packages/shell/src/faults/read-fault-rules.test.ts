import { bearer, createPlatformClient } from '@storey/sdk'
import { expect, it } from 'vitest'
import { readFaultRules } from './read-fault-rules.ts'

it('reads all pages of the list of rules', async () => {
  const rules = Array.from({ length: 250 }, (_, i) => ({ id: `rule-${i}` }))
  const fetch = async (url: string) => {
    const query = new URL(url).searchParams
    const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset') ?? 0)]
    return Response.json({ data: rules.slice(offset, offset + limit), total: rules.length, limit, offset })
  }
  const client = createPlatformClient({ url: 'http://sandbox.localhost', credential: bearer('token'), fetch })
  const found = await readFaultRules(client.building('b'), new AbortController().signal)
  expect(found.map(({ id }) => id)).toEqual(rules.map(({ id }) => id))
})
