import { describe, expect, it } from 'vitest'
import { createPreviewGenerator, type PreviewResult, type PreviewWorker } from './preview-generator.ts'

/** A generator with workers that the test controls. */
function startGenerator() {
  const workers: (PreviewWorker & { received: string[]; ended: boolean })[] = []
  const results: [PreviewResult, boolean][] = []
  const generator = createPreviewGenerator(
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
    (result, isGenerating) => results.push([result, isGenerating]),
  )
  const reply = (at: number, data: PreviewResult) => workers[at]!.onmessage!({ data } as MessageEvent<PreviewResult>)
  const fail = (at: number, message: string) => workers[at]!.onerror!({ message } as ErrorEvent)
  return { generator, workers, results, reply, fail }
}

describe('the preview generator', () => {
  it('generates only the latest of the requests that arrive while it is busy', () => {
    const { generator, workers, results, reply } = startGenerator()
    for (const seed of ['a', 'b', 'c']) generator.generate({ seed })
    reply(0, {})
    reply(0, {})
    expect(workers[0]!.received).toEqual(['a', 'c'])
    expect(results.map(([, isGenerating]) => isGenerating)).toEqual([true, false])
  })

  it('starts a new worker after a failure', () => {
    const { generator, workers, results, reply, fail } = startGenerator()
    generator.generate({ seed: 'a' })
    fail(0, 'out of memory')
    expect(results).toEqual([[{ error: 'out of memory' }, false]])
    expect(workers[0]!.ended).toBe(true)
    generator.generate({ seed: 'b' })
    reply(1, {})
    expect(workers[1]!.received).toEqual(['b'])
    expect(results.at(-1)).toEqual([{}, false])
  })

  it('generates the waiting request when a worker fails', () => {
    const { generator, workers, results, fail } = startGenerator()
    generator.generate({ seed: 'a' })
    generator.generate({ seed: 'b' })
    fail(0, 'gone')
    expect(workers[1]!.received).toEqual(['b'])
    expect(results).toEqual([[{ error: 'gone' }, true]])
  })
})
