import { describe, expect, it } from 'vitest'
import { type Answer, createMaker, type PreviewWorker } from './preview-maker.ts'

/** Workers that answer when the test says so. */
function startMaker() {
  const workers: (PreviewWorker & { received: string[]; ended: boolean })[] = []
  const told: [Answer, boolean][] = []
  const maker = createMaker(
    () => {
      const worker = {
        received: [] as string[],
        ended: false,
        onmessage: null,
        onerror: null,
        postMessage: ({ seed }: { seed: string }) => void worker.received.push(seed),
        terminate: () => {
          worker.ended = true
        },
      }
      workers.push(worker)
      return worker
    },
    (answer, isMaking) => told.push([answer, isMaking]),
  )
  const answer = (at: number, data: Answer) => workers[at]!.onmessage!({ data } as MessageEvent<Answer>)
  const fail = (at: number, message: string) => workers[at]!.onerror!({ message } as ErrorEvent)
  return { maker, workers, told, answer, fail }
}

describe('the maker of previews', () => {
  it('makes only the last of the requests that came meanwhile', () => {
    const { maker, workers, told, answer } = startMaker()
    for (const seed of ['a', 'b', 'c']) maker.make({ seed })
    answer(0, {})
    answer(0, {})
    expect(workers[0]!.received).toEqual(['a', 'c'])
    expect(told.map(([, isMaking]) => isMaking)).toEqual([true, false])
  })

  it('goes on with another worker after one has failed', () => {
    const { maker, workers, told, answer, fail } = startMaker()
    maker.make({ seed: 'a' })
    fail(0, 'out of memory')
    expect(told).toEqual([[{ error: 'out of memory' }, false]])
    expect(workers[0]!.ended).toBe(true)
    maker.make({ seed: 'b' })
    answer(1, {})
    expect(workers[1]!.received).toEqual(['b'])
    expect(told.at(-1)).toEqual([{}, false])
  })

  it('makes what waited when a worker fails', () => {
    const { maker, workers, told, fail } = startMaker()
    maker.make({ seed: 'a' })
    maker.make({ seed: 'b' })
    fail(0, 'gone')
    expect(workers[1]!.received).toEqual(['b'])
    expect(told).toEqual([[{ error: 'gone' }, true]])
  })
})
