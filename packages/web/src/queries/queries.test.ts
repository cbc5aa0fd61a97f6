import { MutationObserver, QueryObserver } from '@tanstack/react-query'
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

it('keeps the record of a page that does not read it while it deletes it, because the deletion may fail', async () => {
  const client = createQueryClient()
  client.setQueryData(['record'], 'record')
  const page = new QueryObserver(client, { queryKey: ['record'], queryFn: () => 'record', enabled: false })
  const leave = page.subscribe(() => undefined)
  const mutationFn = () => Promise.reject(new Error('refused'))
  await expect(new MutationObserver(client, { mutationFn }).mutate()).rejects.toThrow('refused')
  expect(client.getQueryData(['record'])).toBe('record')
  leave()
  client.clear()
})
