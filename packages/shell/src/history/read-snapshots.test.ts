import { bearer, createPlatformClient } from '@storey/sdk'
import { expect, it } from 'vitest'
import { readSnapshots } from './read-snapshots.ts'

it('reads all pages of the list of snapshots', async () => {
  const snapshots = Array.from({ length: 250 }, (_, i) => ({ id: `snapshot-${i}` }))
  const fetch = async (url: string) => {
    const query = new URL(url).searchParams
    const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset') ?? 0)]
    return Response.json({ data: snapshots.slice(offset, offset + limit), total: snapshots.length, limit, offset })
  }
  const client = createPlatformClient({ url: 'http://sandbox.localhost', credential: bearer('token'), fetch })
  const found = await readSnapshots(client.building('b'), new AbortController().signal)
  expect(found.map(({ id }) => id)).toEqual(snapshots.map(({ id }) => id))
})
