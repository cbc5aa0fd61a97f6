import { MutationObserver } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { createQueryClient } from './queries.tsx'

it('forgets what is kept of other pages when an action starts, and again when it ends', async () => {
  const client = createQueryClient()
  const keep = () =>
    client
      .getQueryCache()
      .build(client, { queryKey: ['list'], gcTime: 60_000 })
      .setData(['old'])
  const kept = () => client.getQueryData(['list'])
  const during: unknown[] = []
  const act = async () => {
    during.push(kept())
    keep()
    throw new Error('no answer')
  }
  keep()
  await expect(new MutationObserver(client, { mutationFn: act }).mutate()).rejects.toThrow('no answer')
  expect([during, kept()]).toEqual([[undefined], undefined])
  client.clear()
})
