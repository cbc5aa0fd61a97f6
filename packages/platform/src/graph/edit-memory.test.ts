import { expect, it } from 'vitest'
import { createEditMemories } from './edit-memory.ts'

const LARGE = 20 * 2 ** 20

it('[GRF-35] large edits that wait for another one are reported, and so are those that are refused because too many wait', async () => {
  const memories = createEditMemories()
  const first = memories.of('request')
  await first.reserve(LARGE)
  await memories.of('request').reserve(1_000)
  expect(memories.report()).toEqual({ waiting: 0, refused: 0 })
  const others = Array.from({ length: 128 }, () => memories.of('request'))
  const done = others.map((other) => other.reserve(LARGE).finally(other.release))
  expect(memories.report()).toEqual({ waiting: 128, refused: 0 })
  const last = memories.of('request').reserve(LARGE)
  const results = Promise.allSettled([...done, last])
  first.release()
  const refused = (await results).filter(({ status }) => status === 'rejected')
  expect(refused).toMatchObject([{ reason: { code: 'NOT_READY', status: 503 } }])
  expect(memories.report()).toEqual({ waiting: 0, refused: 1 })
})
