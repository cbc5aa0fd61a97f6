import { describe, expect, it } from 'vitest'
import { readStoreyPreview } from './storey-preview.ts'

const storeys = [
  { id: 'upper', code: 'L1', index: 1 },
  { id: 'ground', code: 'L0', index: 0 },
]
const spaces = [
  { id: 'room', storeyId: 'upper' },
  { id: 'hall', storeyId: 'ground' },
]
const refused = new Error('not found')

async function* rows<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all
}
const api = {
  storeys: { listAll: () => rows(storeys) },
  spaces: {
    listAll: ({ storeyId }: { storeyId: string }) => rows(spaces.filter((space) => space.storeyId === storeyId)),
    get: async (wanted: string) => {
      const space = spaces.find(({ id }) => id === wanted)
      if (!space) throw refused
      return space
    },
  },
} as unknown as Parameters<typeof readStoreyPreview>[0]

const read = async (query: string) => {
  const preview = await readStoreyPreview(api, new URLSearchParams(query))
  return [preview?.storey.code, preview?.spaces.map(({ id }) => id)]
}

describe('the storey that is read first', () => {
  it('[SHL-32] is the ground storey, the one in the address, or that of the room in the address', async () => {
    expect(await read('')).toEqual(['L0', ['hall']])
    expect(await read('storey=L1')).toEqual(['L1', ['room']])
    expect(await read('room=room')).toEqual(['L1', ['room']])
  })

  it('is the ground storey if the storey or the room in the address does not exist', async () => {
    expect(await read('storey=gone')).toEqual(['L0', ['hall']])
    expect(await read('room=gone')).toEqual(['L0', ['hall']])
  })
})
