import { bearer, createPlatformClient } from '@storey/sdk'
import { expect, it } from 'vitest'
import { readComments } from './read-comments.ts'

it('reads all pages of the comments of a request', async () => {
  const comments = Array.from({ length: 450 }, (_, i) => ({ id: `comment-${i}` }))
  const fetch = async (url: string) => {
    const { pathname, searchParams: query } = new URL(url)
    expect(pathname).toBe('/api/service-desk/requests/r/comments')
    const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset') ?? 0)]
    return Response.json({ data: comments.slice(offset, offset + limit), total: comments.length, limit, offset })
  }
  const client = createPlatformClient({ url: 'http://sandbox.localhost', credential: bearer('token'), fetch })
  const found = await readComments(client, 'r', new AbortController().signal)
  expect(found.map(({ id }) => id)).toEqual(comments.map(({ id }) => id))
})
