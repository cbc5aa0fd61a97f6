import { fileURLToPath } from 'node:url'
import { startConfined, startGuard } from './confine.ts'
import type { Report, Task } from './messages.ts'

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))

/** How a reading process ended. */
export type Ending = 'done' | 'crashed' | 'out-of-memory' | 'out-of-time' | 'aborted'

export interface WorkerLimits {
  timeoutMs: number
  /** For all rooms together, once the structure has arrived. */
  drawingMs: number
  /** For a single room. */
  roomMs: number
  signal: AbortSignal | undefined
}

/** Starts a process for a task, passes on its reports, and never leaves it running. */
export function runWorker(task: Task, limits: WorkerLimits, hear: (report: Report) => void): Promise<Ending> {
  const child = startConfined(WORKER, task.path, task.memoryMb)
  const guarding = startGuard(child, task.memoryMb)
  return new Promise((resolve) => {
    let ending: Ending | null = null
    const stop = (why: Ending): void => {
      ending ??= why
      child.kill('SIGKILL')
    }
    const abort = (): void => stop('aborted')
    const whole = setTimeout(stop, limits.timeoutMs, 'out-of-time')
    let drawing: NodeJS.Timeout | undefined
    let room: NodeJS.Timeout | undefined
    limits.signal?.addEventListener('abort', abort)
    if (limits.signal?.aborted) abort()
    child.on('message', (report: Report) => {
      hear(report)
      if (report.kind === 'done') stop('done')
      if (report.kind === 'refused' || report.kind === 'failed') stop('crashed')
      if (report.kind === 'structure-complete') drawing = setTimeout(stop, limits.drawingMs, 'out-of-time')
      // A room that takes for ever is passed over like one that crashes.
      if (report.kind === 'opened') room = setTimeout(stop, limits.roomMs, 'crashed')
      if (report.kind === 'room') room?.refresh()
    })
    child.on('error', () => stop('crashed'))
    child.once('close', (_code, signal) => {
      for (const timer of [whole, drawing, room]) clearTimeout(timer)
      limits.signal?.removeEventListener('abort', abort)
      guarding.then((guard) => guard.kill('SIGKILL')).catch(() => undefined)
      resolve(ending ?? (diedOfMemory(signal) ? 'out-of-memory' : 'crashed'))
    })
    // Nothing of the file is read before somebody watches.
    guarding.then(
      () => child.send(task, () => {}),
      () => stop('crashed'),
    )
  })
}

/** The guard sends SIGUSR2; the engine aborts when its own heap is full. */
function diedOfMemory(signal: NodeJS.Signals | null): boolean {
  return signal === 'SIGUSR2' || signal === 'SIGABRT' || signal === 'SIGTRAP'
}
