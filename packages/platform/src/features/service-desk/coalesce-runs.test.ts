import { describe, expect, it } from 'vitest'
import { coalesceRuns } from './coalesce-runs.ts'

/** Counts the runs. Each run ends when `end` is called. */
function countedRuns() {
  const counts = { begun: 0, active: 0, mostActive: 0 }
  let ended = Promise.withResolvers<void>()
  const call = coalesceRuns(async () => {
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
  return { counts, call, end }
}

describe('coalesced runs', () => {
  it('serve all callers that arrive during a run with one further run', async () => {
    const { counts, call, end } = countedRuns()
    const first = call()
    const others = [call(), call()]
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
      const { counts, call, end } = countedRuns()
      const callers = [call(), call()]
      end()
      for (let i = 0; i < microtasks; i++) await undefined
      callers.push(call())
      while (counts.active > 0 || counts.begun < 2) {
        end()
        await new Promise(setImmediate)
      }
      await Promise.all(callers)
      expect(counts.mostActive, `after ${microtasks} microtasks`).toBe(1)
    }
  })

  it('continue after a run that failed', async () => {
    const { counts, call, end } = countedRuns()
    const [first, second] = [call(), call()]
    end(new Error('no database'))
    await expect(first).rejects.toThrow('no database')
    await expect.poll(() => counts.begun).toBe(2)
    end()
    await second
    expect(counts.mostActive).toBe(1)
  })
})
