import { fileURLToPath } from 'node:url'
import { raiseOomScore, startConfined, startGuard } from './confine.ts'
import type { Report, Task } from './messages.ts'

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))

/** How the process that read a model ended. */
export type Outcome = 'done' | 'crashed' | 'killed' | 'out-of-memory' | 'out-of-time' | 'aborted'

export interface WorkerLimits {
  timeoutMs: number
  /** How long a process may draw outlines after it has reported the structure. */
  drawingMs: number
  /** The time limit for the outline of a single room. */
  roomMs: number
  signal: AbortSignal | undefined
}

/** Starts a process for a task, passes its reports to `onReport`, and always ends the process. */
export function runWorker(task: Task, limits: WorkerLimits, onReport: (report: Report) => void): Promise<Outcome> {
  const child = startConfined(WORKER, task.path, task.memoryMb)
  const guardStarted = startGuard(child, task.memoryMb)
  return new Promise((resolve) => {
    let outcome: Outcome | null = null
    const stop = (why: Outcome): void => {
      outcome ??= why
      child.kill('SIGKILL')
    }
    const abort = (): void => stop('aborted')
    const whole = setTimeout(stop, limits.timeoutMs, 'out-of-time')
    let drawing: NodeJS.Timeout | undefined
    let room: NodeJS.Timeout | undefined
    limits.signal?.addEventListener('abort', abort)
    if (limits.signal?.aborted) abort()
    child.on('message', (report: Report) => {
      onReport(report)
      if (report.kind === 'done') stop('done')
      if (report.kind === 'refused' || report.kind === 'failed') stop('crashed')
      if (report.kind === 'structure-complete') drawing = setTimeout(stop, limits.drawingMs, 'out-of-time')
      // A room that takes too long is skipped, like a room at which the process crashes.
      if (report.kind === 'opened') room = setTimeout(stop, limits.roomMs, 'crashed')
      if (report.kind === 'room') room?.refresh()
    })
    child.on('error', () => stop('crashed'))
    child.once('close', (_code, signal) => {
      for (const timer of [whole, drawing, room]) clearTimeout(timer)
      limits.signal?.removeEventListener('abort', abort)
      guardStarted.then((guard) => guard.kill('SIGKILL')).catch(() => undefined)
      resolve(outcome ?? outcomeOf(signal))
    })
    // The task is sent only when the guard is watching.
    guardStarted.then(
      () => {
        raiseOomScore(child)
        child.send(task, () => {})
      },
      () => stop('crashed'),
    )
  })
}

/**
 * The guard sends SIGUSR2 if the worker takes too much memory. V8 aborts with SIGABRT or SIGTRAP if its heap is full.
 * The system sends SIGKILL when the memory of the machine is used up.
 */
function outcomeOf(signal: NodeJS.Signals | null): Outcome {
  if (signal === 'SIGUSR2' || signal === 'SIGABRT' || signal === 'SIGTRAP') return 'out-of-memory'
  return signal === 'SIGKILL' || signal === 'SIGTERM' ? 'killed' : 'crashed'
}
