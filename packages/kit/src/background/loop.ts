import { setMaxListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { runDetached } from '../tracing/index.ts'
import { createOutcomes, type OutcomesOptions } from './outcomes.ts'

export interface LoopOptions extends OutcomesOptions {
  /** One run. Resolves with the pause before the next run in milliseconds; undefined: `everyMs`. */
  run(signal: AbortSignal): Promise<number | undefined> | Promise<void>
  /**
   * The longest pause between two runs of a started loop. Absent: the loop runs again only when it is woken, after the
   * pause that a run returns, and after a failure.
   */
  everyMs?: number
}

/** Background work: woken or due, run once at a time, retried with a growing pause, counted, and stopped. */
export interface Loop {
  /** Begins the first run after `afterMs`. From then on the loop repeats, if it has `everyMs`. */
  start(afterMs?: number): void
  /** Runs as soon as possible: after the current run, and after the pause that follows a failure. */
  wake(): void
  /** Runs within this many milliseconds, but not before the pause that follows a failure has ended. */
  wakeIn(ms: number): void
  /**
   * Resolves when a run that began after this call has ended; rejects when that run failed. Runs nothing after `stop`.
   */
  runNow(): Promise<void>
  /** Resolves when no run is in progress and none follows at once. Does not wait for a run that is due later. */
  idle(): Promise<void>
  /** Aborts the signal of the current run, waits for its end, and runs nothing more. */
  stop(): Promise<void>
}

/** The longest delay that Node's timers accept. */
const MAX_TIMER_MS = 2 ** 31 - 1

export function createLoop({ run, everyMs, ...options }: LoopOptions): Loop {
  const outcomes = createOutcomes(options)
  const stopping = new AbortController()
  // No limit, because one run may start many operations that listen to this signal.
  setMaxListeners(0, stopping.signal)
  let isStarted = false
  let isRunning = false
  let isWoken = false
  let running: Promise<unknown> = Promise.resolve()
  let retryAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let timerAt = Number.POSITIVE_INFINITY

  /** Runs the loop after this pause, unless an earlier run is planned already. */
  function schedule(ms: number): void {
    if (stopping.signal.aborted) return
    const now = performance.now()
    const at = Math.max(now + ms, retryAt)
    if (at >= timerAt) return
    clearTimeout(timer)
    timerAt = at
    // Whole milliseconds, because Node keeps a list of timers for each delay, and frees an empty list only if its delay
    // is whole.
    timer = setTimeout(onTimer, Math.ceil(Math.min(at - now, MAX_TIMER_MS))).unref()
  }

  function onTimer(): void {
    timerAt = Number.POSITIVE_INFINITY
    wake()
  }

  function wake(): void {
    if (isRunning) isWoken = true
    else if (performance.now() < retryAt) schedule(0)
    else if (!stopping.signal.aborted) begin().catch(() => undefined)
  }

  /**
   * A request that wakes the loop does not wait for the run, and one run serves many requests, so a run belongs to no
   * trace.
   */
  const begin = (): Promise<void> => runDetached(beginRuns)

  function beginRuns(): Promise<void> {
    isRunning = true
    const first = attempt()
    running = first
      .then(runWhileWoken)
      .catch(() => undefined)
      .then(() => {
        isRunning = false
        if (isWoken) wake()
      })
    return first
  }

  async function runWhileWoken(): Promise<void> {
    while (isWoken) {
      // Requests get a turn of the event loop first, even if this background loop is woken all the time.
      await nextTurn()
      if (stopping.signal.aborted) return
      await attempt()
    }
  }

  /** Runs once for all wake-ups so far. */
  async function attempt(): Promise<void> {
    clearTimeout(timer)
    timerAt = Number.POSITIVE_INFINITY
    isWoken = false
    try {
      const nextMs = await run(stopping.signal)
      outcomes.succeeded()
      retryAt = Number.NEGATIVE_INFINITY
      const pauseMs = nextMs ?? (isStarted ? everyMs : undefined)
      if (pauseMs !== undefined) schedule(Math.max(0, Math.min(pauseMs, everyMs ?? MAX_TIMER_MS)))
    } catch (err) {
      if (stopping.signal.aborted) return
      retryAt = performance.now() + outcomes.failed(err)
      schedule(0)
      throw err
    }
  }

  return {
    start(afterMs = 0) {
      isStarted = true
      if (afterMs === 0) wake()
      else schedule(afterMs)
    },
    wake,
    wakeIn: schedule,
    async runNow() {
      while (isRunning) await running
      if (!stopping.signal.aborted) await begin()
    },
    async idle() {
      while (isRunning) await running
    },
    async stop() {
      stopping.abort(new Error(`${options.name} stops`))
      clearTimeout(timer)
      await running
    },
  }
}
