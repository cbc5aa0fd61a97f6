import { MutationObserver } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { createQueryClient } from './queries.tsx'

it('clears the cache of other pages when an action starts, and again when it ends', async () => {
  const client = createQueryClient()
  const cache = () =>
    client
      .getQueryCache()
      .build(client, { queryKey: ['list'], gcTime: 60_000 })
      .setData(['old'])
  const cached = () => client.getQueryData(['list'])
  const during: unknown[] = []
  const act = async () => {
    during.push(cached())
    cache()
    throw new Error('no response')
  }
  cache()
  await expect(new MutationObserver(client, { mutationFn: act }).mutate()).rejects.toThrow('no response')
  expect([during, cached()]).toEqual([[undefined], undefined])
  client.clear()
})
