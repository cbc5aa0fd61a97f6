import { Worker } from 'node:worker_threads'
import type { BuildingSpec } from '@storey/building'
import { threadFile } from '../../thread-file.ts'
import type { ModelReply, ModelRequest, Outline, StuckDamper, ThreadData, Window } from './messages.ts'

/** The model of a building in its own thread. Requests are processed in order. */
export interface ModelThread {
  outline(): Promise<Outline>
  window(fromMs: number, toMs: number, stuck: readonly StuckDamper[]): Promise<Window>
  people(dayStart: number): Promise<Uint32Array>
  close(): Promise<void>
}

const FILE = threadFile(new URL('./thread.ts', import.meta.url), import.meta.url, './model-thread.js')
/** Enough memory to create the model of the largest possible building. The finished model takes 75 MB. */
const resourceLimits = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 16 }

type RequestBody = ModelRequest extends infer R ? (R extends ModelRequest ? Omit<R, 'id'> : never) : never

export function startModel(spec: BuildingSpec): ModelThread {
  const workerData: ThreadData = { spec }
  const thread = new Worker(FILE, {
    workerData,
    resourceLimits,
  })
  thread.unref()
  const waiting = new Map<number, { resolve(result: unknown): void; reject(err: Error): void }>()
  let count = 0
  let ended: Error | undefined

  thread.on('message', (reply: ModelReply) => {
    const pending = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('failed' in reply) pending?.reject(new Error(reply.failed))
    else pending?.resolve(reply.result)
  })
  const end = (err: Error) => {
    ended ??= err
    for (const { reject } of waiting.values()) reject(ended)
    waiting.clear()
  }
  thread.on('error', (err) => end(err instanceof Error ? err : new Error(String(err))))
  thread.on('exit', () => end(new Error('the thread of the model ended')))

  function request<T>(body: RequestBody): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (ended) return reject(ended)
      const id = count++
      waiting.set(id, { resolve: resolve as (result: unknown) => void, reject })
      thread.postMessage({ ...body, id })
    })
  }

  return {
    outline: () => request({ kind: 'outline' }),
    window: (fromMs, toMs, stuck) => request({ kind: 'window', fromMs, toMs, stuck: [...stuck] }),
    people: (dayStart) => request({ kind: 'people', dayStart }),
    async close() {
      await thread.terminate()
    },
  }
}
