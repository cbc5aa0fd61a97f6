import { bearer, createPlatformClient } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { readStoreyEnergy } from './read-storey-energy.ts'

async function read(now: string, values: Record<string, (number | null)[]> = {}) {
  const asked: Record<string, unknown>[] = []
  const fetch = async (_: string, { body }: { body?: unknown }) => {
    asked.push(JSON.parse(String(body)))
    const series = Object.entries(values).map(([pointId, ofPoint]) => ({ pointId, values: ofPoint }))
    return Response.json({ timestamps: [], series })
  }
  const client = createPlatformClient({ url: 'http://sandbox.localhost', credential: bearer('token'), fetch })
  const points = [
    ['L0', { id: 'kwh', unit: 'KiloW-HR' }],
    ['L1', { id: 'wh', unit: 'W-HR' }],
  ] as const
  const signal = new AbortController().signal
  const found = await readStoreyEnergy(client.building('b'), points, 'Europe/Berlin', Date.parse(now), signal)
  return { found: Object.fromEntries(found), asked: asked[0] }
}

describe('the energy of the storeys today', () => {
  it('is that of the whole local day, also when the clocks change', async () => {
    const dayOf = async (now: string) => {
      const { from, to } = (await read(now)).asked!
      return [from, to]
    }
    expect(await dayOf('2026-11-16T12:00:00Z')).toEqual(['2026-11-15T23:00:00.000Z', '2026-11-16T23:00:00.000Z'])
    expect(await dayOf('2026-10-25T22:30:00Z')).toEqual(['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'])
    expect(await dayOf('2026-03-29T12:00:00Z')).toEqual(['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'])
  })

  it('is in kWh, and unknown for a storey without readings', async () => {
    expect((await read('2026-11-16T12:00:00Z', { kwh: [2], wh: [500] })).found).toEqual({ L0: 2, L1: 0.5 })
    expect((await read('2026-11-16T12:00:00Z', { kwh: [2], wh: [null] })).found).toEqual({ L0: 2 })
  })
})
