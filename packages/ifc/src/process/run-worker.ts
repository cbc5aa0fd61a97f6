import { fileURLToPath } from 'node:url'
import { raiseOomScore, startConfined, startGuard } from './confine.ts'
import type { Report, Task } from './messages.ts'

/** How many characters at the end of the process's stderr are kept. */
const MAX_PRINTED = 2_000
const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))

/** How the process that read a model ended. */
export type Outcome = 'done' | 'crashed' | 'killed' | 'out-of-memory' | 'out-of-time' | 'aborted'

/** How the process ended and, if it crashed, the error for the log. */
export type Ended = { outcome: Exclude<Outcome, 'crashed'> } | { outcome: 'crashed'; error: Error }

export interface WorkerLimits {
  timeoutMs: number
  /** How long a process may draw outlines after it has reported the structure. */
  drawingMs: number
  /** The time limit for the outline of a single room. */
  roomMs: number
  signal: AbortSignal | undefined
}

/** Starts a process for a task, passes its reports to `onReport`, and always ends the process. */
export function runWorker(task: Task, limits: WorkerLimits, onReport: (report: Report) => void): Promise<Ended> {
  const child = startConfined(WORKER, task.path, task.memoryMb)
  const guardStarted = startGuard(child, task.memoryMb)
  return new Promise((resolve) => {
    let outcome: Outcome | null = null
    let cause: Error | undefined
    let printed = ''
    const stop = (why: Outcome): void => {
      outcome ??= why
      child.kill('SIGKILL')
    }
    const crash = (err: Error): void => {
      cause = err
      stop('crashed')
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
      if (report.kind === 'refused') stop('done')
      if (report.kind === 'failed') crash(errorIn(report.stack))
      if (report.kind === 'structure-complete') drawing = setTimeout(stop, limits.drawingMs, 'out-of-time')
      // A room that takes too long is skipped, like a room at which the process crashes.
      if (report.kind === 'opened') room = setTimeout(stop, limits.roomMs, 'crashed')
      if (report.kind === 'room') room?.refresh()
    })
    child.on('error', crash)
    // A process that could not be started has no streams.
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-MAX_PRINTED)
    })
    child.once('close', (code, signal) => {
      for (const timer of [whole, drawing, room]) clearTimeout(timer)
      limits.signal?.removeEventListener('abort', abort)
      guardStarted.then((guard) => guard.kill('SIGKILL')).catch(() => undefined)
      const how = outcome ?? outcomeOf(signal)
      if (how === 'crashed') resolve({ outcome: how, error: crashError(cause, signal ?? `code ${code}`, printed) })
      else resolve({ outcome: how })
    })
    // The task is sent only when the guard is watching.
    guardStarted.then(() => {
      raiseOomScore(child)
      child.send(task, () => {})
    }, crash)
  })
}

/** The error of the worker, with the stack trace of the worker. */
function errorIn(stack: string): Error {
  const [message] = stack.split('\n', 1)
  return Object.assign(new Error(message), { stack })
}

/** `cause` is undefined if the process crashed, or was killed because a room took too long. */
function crashError(cause: Error | undefined, end: string, printed: string): Error {
  const what = `the reader of a building model ${cause === undefined ? `ended with ${end}` : 'failed'}`
  return new Error(printed.trim() === '' ? what : `${what}: ${printed.trim()}`, { cause })
}

/**
 * The guard sends SIGUSR2 if the worker takes too much memory. V8 aborts with SIGABRT or SIGTRAP if its heap is full.
 * The system sends SIGKILL when the memory of the machine is used up.
 */
function outcomeOf(signal: NodeJS.Signals | null): Outcome {
  if (signal === 'SIGUSR2' || signal === 'SIGABRT' || signal === 'SIGTRAP') return 'out-of-memory'
  return signal === 'SIGKILL' || signal === 'SIGTERM' ? 'killed' : 'crashed'
}
