import { describe, expect, it } from 'vitest'
import { createFirstPlan, readStoreyPreview, type StoreyPreview } from './storey-preview.ts'

const ROOM = '7d2f4c1a-0b3e-4a55-9c61-2f8f0d6e1b90'
const GONE = '7d2f4c1a-0b3e-4a55-9c61-2f8f0d6e1b91'
const storeys = [
  { id: 'upper', code: 'L1', index: 1 },
  { id: 'ground', code: 'L0', index: 0 },
]
const spaces = [
  { id: ROOM, storeyId: 'upper' },
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
  it('[SHL-32] is the storey in the address, the storey of the room in the address, or else the ground storey', async () => {
    expect(await read('')).toEqual(['L0', ['hall']])
    expect(await read('storey=L1')).toEqual(['L1', [ROOM]])
    expect(await read(`room=${ROOM}`)).toEqual(['L1', [ROOM]])
  })

  it('is the ground storey if the storey or the room in the address does not exist', async () => {
    expect(await read('storey=gone')).toEqual(['L0', ['hall']])
    expect(await read(`room=${GONE}`)).toEqual(['L0', ['hall']])
  })
})

describe('the rest of the building', () => {
  const preview = { storey: storeys[0] } as unknown as StoreyPreview
  const isSettled = (promise: Promise<void>) => Promise.race([promise.then(() => true), tick()])
  const tick = () => new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))

  it('[SHL-32] waits until the plan is drawn', async () => {
    const plan = createFirstPlan(Promise.resolve(preview))
    expect(await plan.preview).toBe(preview)
    expect(await isSettled(plan.drawn)).toBe(false)
    plan.noteDrawn()
    expect(await isSettled(plan.drawn)).toBe(true)
  })

  it('waits only a short time if the plan is never drawn', async () => {
    await createFirstPlan(Promise.resolve(preview)).drawn
  })

  it('does not wait for a plan that cannot be read', async () => {
    expect(await isSettled(createFirstPlan(Promise.reject(refused)).drawn)).toBe(true)
    expect(await isSettled(createFirstPlan(Promise.resolve(undefined)).drawn)).toBe(true)
  })
})
