import { bearer, createPlatformClient } from '@storey/sdk'
import { expect, it } from 'vitest'
import { readActiveFaults } from './read-active-faults.ts'

/** An API with these numbers of active faults. Like the real API, it does not list the most severe faults first. */
const apiWith = (counts: Record<string, number>) => {
  const asked: string[] = []
  const fetch = async (url: string) => {
    const query = new URL(url).searchParams
    asked.push(query.get('severity') ?? 'any')
    const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))]
    const all = Object.entries(counts)
      .flatMap(([severity, n]) => Array.from({ length: n }, (_, i) => ({ id: `${severity}-${i}`, severity })))
      .filter(({ severity }) => (query.get('severity') ?? severity) === severity)
    return Response.json({ data: all.slice(offset, offset + limit), total: all.length, limit, offset })
  }
  const client = createPlatformClient({ url: 'http://sandbox.localhost', credential: bearer('token'), fetch })
  return { api: client.building('b'), asked }
}
const { signal } = new AbortController()

it('reads a small number of active faults with one request', async () => {
  const { api, asked } = apiWith({ info: 3 })
  expect((await readActiveFaults(api, signal)).rows).toHaveLength(3)
  expect(asked).toEqual(['any'])
})

it('reads all active faults up to the limit', async () => {
  const { api } = apiWith({ info: 300, critical: 5 })
  expect((await readActiveFaults(api, signal)).rows).toHaveLength(305)
})

it('reads the most severe faults if there are too many', async () => {
  const { api } = apiWith({ info: 3000, minor: 1200, major: 30, critical: 2 })
  const { rows, total } = await readActiveFaults(api, signal)
  expect([rows.length, total]).toEqual([1000, 4232])
  const count = (severity: string) => rows.filter((row) => row.severity === severity).length
  expect(['critical', 'major', 'minor', 'info'].map(count)).toEqual([2, 30, 968, 0])
})
