import { Worker } from 'node:worker_threads'
import type { Log } from '@storey/kit/log'
import { threadFile } from '../../../thread-file.ts'
import type { CompactionTask, FromThread, TaskResult, ThreadData, ToThread } from './messages.ts'

export interface CompactionThread {
  /** Runs tasks one after another, in a thread that starts with the first task and ends when it is idle. */
  run(task: CompactionTask): Promise<TaskResult>
  /** Ends the thread after its tasks. The merging after a fold stops early. */
  close(): Promise<void>
}

const FILE = threadFile(new URL('./thread.ts', import.meta.url), import.meta.url, './compaction-thread.js')
const IDLE_MS = 30_000
/** Without this limit the young objects of the thread take up to 140 MB before they are collected. */
const resourceLimits = { maxYoungGenerationSizeMb: 32 }

/** A running thread and its unanswered tasks. */
interface Running {
  worker: Worker
  pending: Map<number, { resolve(result: TaskResult): void; reject(err: Error): void }>
}

export function createCompactionThread(workerData: ThreadData, log: Log, idleMs = IDLE_MS): CompactionThread {
  let running: Running | undefined
  /** Resolve when threads that have been told to stop have ended. */
  const endings = new Set<Promise<void>>()
  let ids = 0
  let idle: NodeJS.Timeout | undefined
  let isClosed = false

  function launch(): Running {
    const worker = new Worker(FILE, { workerData, resourceLimits })
    const started: Running = { worker, pending: new Map() }
    worker.on('message', (message: FromThread) => {
      const task = started.pending.get(message.id)
      started.pending.delete(message.id)
      if ('result' in message) task?.resolve(message.result)
      else task?.reject(new Error(message.error))
      if (started.pending.size === 0 && running === started) startIdleTimer()
    })
    worker.on('error', (err) => log.error({ err }, 'compaction thread failed'))
    worker.on('exit', () => {
      if (running === started) running = undefined
      for (const { reject } of started.pending.values()) reject(new Error('the compaction thread ended'))
    })
    return started
  }

  function startIdleTimer(): void {
    clearTimeout(idle)
    idle = setTimeout(() => void end(), idleMs).unref()
  }

  async function end(): Promise<void> {
    clearTimeout(idle)
    const ending = running
    running = undefined
    if (!ending) return
    const ended = new Promise<void>((resolve) => ending.worker.once('exit', () => resolve()))
    ending.worker.postMessage('stop' satisfies ToThread)
    endings.add(ended)
    await ended
    endings.delete(ended)
  }

  return {
    run: (task) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error('the compaction thread is closed'))
        clearTimeout(idle)
        running ??= launch()
        const id = ids++
        running.pending.set(id, { resolve, reject })
        running.worker.postMessage({ id, task } satisfies ToThread)
      }),
    async close() {
      isClosed = true
      await end()
      await Promise.all(endings)
    },
  }
}
