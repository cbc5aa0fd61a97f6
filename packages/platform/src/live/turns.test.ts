import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createTurns } from './turns.ts'

describe('turns of the event loop', () => {
  it('[LIV-25] run a limited number of tasks each, in the order in which the tasks were added', async () => {
    const run = createTurns({ tasks: 2, ms: 1_000 })
    const done: number[] = []
    for (let i = 0; i < 5; i++) run(() => done.push(i))
    const seen = [[...done]]
    for (let i = 0; i < 3; i++) {
      await nextTurn()
      run(() => done.push(10 + i))
      seen.push([...done])
    }
    await nextTurn()
    expect(seen.map(({ length }) => length)).toEqual([2, 4, 6, 8])
    expect(done).toEqual([0, 1, 2, 3, 4, 10, 11, 12])
  })

  it('[LIV-25] begin no task once their time is used up', async () => {
    let now = 0
    const run = createTurns({ tasks: 100, ms: 10 }, () => now)
    let done = 0
    for (let i = 0; i < 5; i++)
      run(() => {
        now += 6
        done++
      })
    const seen = [done]
    for (let i = 0; i < 2; i++) {
      await nextTurn()
      seen.push(done)
    }
    expect(seen).toEqual([2, 4, 5])
  })
})
