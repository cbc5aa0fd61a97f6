import { afterEach, expect, it } from 'vitest'
import { createResolve } from './resolve.ts'
import { type Answers, type NameServer, startNameServer } from './testing/name-server.ts'

let server: NameServer
async function resolveWith(answers: Answers) {
  server = await startNameServer(answers)
  return createResolve([server.address])
}
afterEach(() => server.stop())

it('finds all addresses of a name, IPv4 first', async () => {
  const resolve = await resolveWith({
    'both.example': ['2606:4700::1', '8.8.8.8', '8.8.4.4'],
    'old.example': ['8.8.8.8'],
    'new.example': ['2606:4700::1'],
  })
  expect(await resolve('both.example')).toEqual(['8.8.8.8', '8.8.4.4', '2606:4700::1'])
  expect(await resolve('old.example')).toEqual(['8.8.8.8'])
  expect(await resolve('new.example')).toEqual(['2606:4700::1'])
})

it('falls back to the system for a name that no name server knows', async () => {
  const resolve = await resolveWith({})
  const found = await resolve('localhost')
  expect(server.queries).toContain('localhost')
  expect(found.some((address) => address === '127.0.0.1' || address === '::1')).toBe(true)
})

it('is not blocked by names whose server does not respond', async () => {
  const silent = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`silent${i}.example`, 'silent'] as const))
  const resolve = await resolveWith({ ...silent, 'quick.example': ['8.8.8.8'] })
  const settled: string[] = []
  for (const name of Object.keys(silent)) {
    resolve(name).then(
      () => settled.push(name),
      () => settled.push(name),
    )
  }
  expect(await resolve('quick.example')).toEqual(['8.8.8.8'])
  expect(settled).toEqual([])
})

it('shares one lookup among concurrent calls, and does not cache a failure', async () => {
  const resolve = await resolveWith({ 'busy.example': 'failed' })
  await expect(resolve('busy.example')).rejects.toThrow()
  server.answers['busy.example'] = ['8.8.8.8']
  server.queries.length = 0
  const answers = await Promise.all(Array.from({ length: 100 }, () => resolve('busy.example')))
  expect(answers).toEqual(Array.from({ length: 100 }, () => ['8.8.8.8']))
  expect(server.queries).toEqual(['busy.example', 'busy.example'])
})

it('returns changed addresses within seconds', async () => {
  const resolve = await resolveWith({ 'moving.example': ['8.8.8.8'] })
  expect(await resolve('moving.example')).toEqual(['8.8.8.8'])
  server.answers['moving.example'] = ['8.8.4.4']
  await expect.poll(() => resolve('moving.example')).toEqual(['8.8.4.4'])
})
