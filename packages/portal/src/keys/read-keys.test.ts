import { bearer, createProvisioningClient } from '@storey/sdk'
import { expect, it } from 'vitest'
import { readKeys } from './read-keys.ts'

it('reads all pages of the list of keys', async () => {
  const keys = Array.from({ length: 250 }, (_, i) => ({ keyId: `key-${i}` }))
  const fetch = async (url: string) => {
    const query = new URL(url).searchParams
    const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset') ?? 0)]
    return Response.json({ data: keys.slice(offset, offset + limit), total: keys.length, limit, offset })
  }
  const client = createProvisioningClient({ url: 'http://localhost:4000', credential: bearer('token'), fetch })
  const found = await readKeys(client, new AbortController().signal)
  expect(found.map(({ keyId }) => keyId)).toEqual(keys.map(({ keyId }) => keyId))
})
