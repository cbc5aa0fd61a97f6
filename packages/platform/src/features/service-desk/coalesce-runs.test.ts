import { describe, expect, it } from 'vitest'
import { coalesceRuns } from './coalesce-runs.ts'

/** Counts the runs. Each run ends when `end` is called. */
function countedRuns() {
  const counts = { begun: 0, active: 0, mostActive: 0 }
  let ended = Promise.withResolvers<void>()
  const follow = coalesceRuns(async () => {
    counts.begun++
    counts.mostActive = Math.max(counts.mostActive, ++counts.active)
    await ended.promise.finally(() => counts.active--)
  })
  const end = (error?: Error) => {
    const { resolve, reject } = ended
    ended = Promise.withResolvers()
    if (error) reject(error)
    else resolve()
  }
  return { counts, follow, end }
}

describe('coalesced runs', () => {
  it('serve all callers that arrive during a run with one further run', async () => {
    const { counts, follow, end } = countedRuns()
    const first = follow()
    const others = [follow(), follow()]
    expect(counts.begun).toBe(1)
    end()
    await first
    await expect.poll(() => counts.begun).toBe(2)
    end()
    await Promise.all(others)
    expect(counts).toEqual({ begun: 2, active: 0, mostActive: 1 })
  })

  it('never overlap, however soon after the end of a run a caller arrives', async () => {
    // The next run begins some microtasks after the end of a run.
    for (let microtasks = 0; microtasks < 12; microtasks++) {
      const { counts, follow, end } = countedRuns()
      const callers = [follow(), follow()]
      end()
      for (let i = 0; i < microtasks; i++) await undefined
      callers.push(follow())
      while (counts.active > 0 || counts.begun < 2) {
        end()
        await new Promise(setImmediate)
      }
      await Promise.all(callers)
      expect(counts.mostActive, `after ${microtasks} microtasks`).toBe(1)
    }
  })

  it('continue after a run that failed', async () => {
    const { counts, follow, end } = countedRuns()
    const [first, second] = [follow(), follow()]
    end(new Error('no database'))
    await expect(first).rejects.toThrow('no database')
    await expect.poll(() => counts.begun).toBe(2)
    end()
    await second
    expect(counts.mostActive).toBe(1)
  })
})
