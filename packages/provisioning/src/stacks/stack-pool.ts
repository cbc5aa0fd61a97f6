import { Problem, problems, type StackCommand } from '@storey/contract'
import { type Clock, elapsedMs, systemClock } from '@storey/kit/clock'
import { isUnavailable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { within } from '@storey/kit/within'
import { createStackCapacity, type StackCapacityOptions } from './stack-capacity.ts'
import {
  DatabaseUnavailable,
  type OnDue,
  type RunningStack,
  StackEnded,
  type StackExit,
  type StackRuntime,
} from './stack-runtime.ts'
import { createStartQueue, type StartQueueOptions } from './start-queue.ts'

/** The pause doubles after each crash and resets after a stable time. It is constant while the database is unavailable. */
export interface Backoff {
  firstMs: number
  maxMs: number
  resetAfterMs: number
  databaseMs: number
}

export interface StackPoolOptions {
  /** `connections`: how many PostgreSQL connections the stack may open. */
  start(sandboxId: string, onDue: OnDue, connections: number): Promise<RunningStack>
  stop(sandboxId: string): Promise<void>
  send: StackRuntime['send']
  /** Saves the due work that a stack reported when it was stopped. Not called when it reported none. */
  keepDue(sandboxId: string, dueAt: Date | null): Promise<void>
  /** Called after a stack was stopped. */
  onStopped(): void
  /** 0: never. */
  idleMs: number
  /** Limits of connections and running stacks; unlimited when absent. */
  bounds?: Pick<StackCapacityOptions, 'connections' | 'maxStacks' | 'waitMs'>
  /** For due work. */
  clock?: Clock
  log: Log
  backoff?: Backoff
  startQueue?: StartQueueOptions
}

/** Whether a caller uses the stack, and not a stranger; `lastedMs` is how long the use lasts. */
export type IsFromCaller = (lastedMs: number) => boolean

interface Use {
  /** When the use started, not counting the start of the stack. */
  since: number
  isFromCaller: IsFromCaller
}

interface Entry {
  state: 'starting' | 'running' | 'stopping' | 'waiting'
  /** The running stack; replaced at each start. */
  running: Promise<RunningStack>
  uses: Set<Use>
  lastUsedAt: number
  /** The last use by a caller, without strangers; long ago if there was none. */
  lastCalledAt: number
  /** It has capacity. */
  isAdmitted: boolean
  runsSince: number
  startedAt: number
  crashes: number
  /** When the stack next has work of its own, as it reported last. */
  dueAt: Date | null | undefined
  stopping: Promise<void> | undefined
}

/** How long a request waits for a stack to start before it gets 503. */
const WAKE_LIMIT_MS = 15_000
/** How long a stack that was woken for due work runs without requests. */
const UNUSED_IDLE_MS = 60_000
const KEEP_LIMIT_MS = 2_000
/** A stack runs at least this long before it is stopped for another, so that two stacks do not evict each other all the time. */
const MIN_RUN_MS = 1_000
/** Others are stopped before a stack that a caller used within this time. */
const CALLED_LATELY_MS = 10_000
/** A stack with work due within this time is not stopped. */
const DUE_SOON_MS = 30_000
const BACKOFF: Backoff = { firstMs: 250, maxMs: 30_000, resetAfterMs: 60_000, databaseMs: 1_000 }

/**
 * The running stacks. A stack is started by the first request that needs it, stopped when it is idle and has no work
 * of its own, and restarted with a growing pause when it crashes.
 */
export function createStackPool(options: StackPoolOptions) {
  const { log, idleMs, clock = systemClock } = options
  const backoff = options.backoff ?? BACKOFF
  const entries = new Map<string, Entry>()
  let closed = false
  const capacity = createStackCapacity({
    ...(options.bounds ?? { connections: Infinity, maxStacks: 0 }),
    stopOne: stopLeastUsed,
  })
  const startQueue = createStartQueue(options.startQueue)
  const idleCheck = idleMs > 0 ? setInterval(stopIdle, Math.min(idleMs / 2, 30_000)).unref() : undefined

  function begin(sandboxId: string, entry: Entry): void {
    entry.state = 'starting'
    entry.isAdmitted = false
    entry.startedAt = elapsedMs()
    const onDue = (dueAt: Date | null) => {
      entry.dueAt = dueAt
    }
    const start = (connections: number) => {
      entry.startedAt = elapsedMs()
      return options.start(sandboxId, onDue, connections)
    }
    entry.running = capacity.acquire(sandboxId).then((connections) => {
      entry.isAdmitted = true
      return startQueue.run(sandboxId, () => start(connections))
    })
    entry.running.then(
      (stack) => {
        if (entry.state === 'starting') entry.state = 'running'
        entry.runsSince = elapsedMs()
        entry.lastUsedAt = Math.max(entry.lastUsedAt, elapsedMs() - idleMs + Math.min(idleMs, UNUSED_IDLE_MS))
        stack.ended.then(() => {
          capacity.release(sandboxId)
          onEnd(sandboxId, entry, { exit: stack.exit?.() })
        })
      },
      (err) => {
        capacity.release(sandboxId)
        // The sandbox must not be started now; the stack itself did not fail.
        if (err instanceof Problem) return void (entries.get(sandboxId) === entry && entries.delete(sandboxId))
        const isWaiting = err instanceof DatabaseUnavailable || isUnavailable(err)
        const isAsked = err instanceof StackEnded && wasStoppedBySignal(err.exit)
        if (!isWaiting && !isAsked) log.error({ err, sandboxId }, 'stack failed to start')
        onEnd(sandboxId, entry, {
          ...(isWaiting ? { waitsFor: err.message } : {}),
          ...(err instanceof StackEnded ? { exit: err.exit } : {}),
        })
      },
    )
  }

  /** An unavailable database does not count as a crash: the stack starts soon after its database is available. */
  function onEnd(
    sandboxId: string,
    entry: Entry,
    { waitsFor, exit }: { waitsFor?: string; exit?: StackExit | undefined },
  ): void {
    const isWaiting = waitsFor !== undefined
    if (entries.get(sandboxId) !== entry) return
    if (entry.state === 'stopping') return
    if (closed) return void entries.delete(sandboxId)
    if (exit && wasStoppedBySignal(exit)) return void onSignalEnd(sandboxId, entry)
    if (!isWaiting) entry.crashes = elapsedMs() - entry.startedAt > backoff.resetAfterMs ? 1 : entry.crashes + 1
    const pauseMs = isWaiting ? backoff.databaseMs : Math.min(backoff.firstMs * 2 ** (entry.crashes - 1), backoff.maxMs)
    if (isWaiting) log.warn({ sandboxId, reason: waitsFor, pauseMs }, 'stack waiting for its database')
    else log.warn({ sandboxId, ...exit, crashes: entry.crashes, pauseMs }, 'stack crashed, restarting')
    entry.state = 'waiting'
    entry.running = new Promise((resolve, reject) => {
      setTimeout(() => {
        if (entries.get(sandboxId) !== entry || entry.state !== 'waiting')
          return reject(new Error('the start was cancelled'))
        begin(sandboxId, entry)
        entry.running.then(resolve, reject)
      }, pauseMs).unref()
    })
    entry.running.catch(() => undefined)
  }

  /** A terminal or a process manager sent it a signal, usually to the whole process group: the next request starts another. */
  function onSignalEnd(sandboxId: string, { dueAt }: Entry): void {
    log.info({ sandboxId }, 'stack ended by a signal')
    entries.delete(sandboxId)
    if (dueAt !== undefined) {
      options.keepDue(sandboxId, dueAt).catch((err) => log.warn({ err, sandboxId }, 'could not save due work of stack'))
    }
    options.onStopped()
  }

  function stopIdle(): void {
    for (const [sandboxId, entry] of entries) {
      if (!isIdle(entry)) continue
      log.info({ sandboxId }, 'stack idle, stopping it')
      stop(sandboxId).catch((err) => log.error({ err, sandboxId }, 'could not stop idle stack'))
    }
  }

  function isIdle({ state, uses, lastUsedAt, dueAt }: Entry): boolean {
    if (uses.size > 0 || lastUsedAt > elapsedMs() - idleMs || state === 'stopping' || state === 'starting') return false
    // Soon enough to keep the stack running. A stack that cannot start does no work either.
    const isBusy = state === 'running' && dueAt != null && dueAt.getTime() <= clock.now().getTime() + idleMs
    return !isBusy
  }

  /**
   * Stops the stack that callers have not used for the longest time, among those without a caller or work. A stack that only
   * strangers use is stopped before one that a caller has just used: strangers can wake any stack, but not keep it awake.
   */
  function stopLeastUsed(): Promise<void> | undefined {
    const now = elapsedMs()
    const dueMs = clock.now().getTime() + DUE_SOON_MS
    const unneeded = [...entries]
      .filter(([, { state, isAdmitted }]) => state === 'running' || (state === 'starting' && isAdmitted))
      .filter(([, { uses }]) => ![...uses].some(({ since, isFromCaller }) => isFromCaller(now - since)))
      .filter(([, { dueAt }]) => dueAt == null || dueAt.getTime() > dueMs)
      .sort(([, a], [, b]) => a.lastCalledAt - b.lastCalledAt || a.startedAt - b.startedAt)
    const first = unneeded.find(([, { state, runsSince }]) => state === 'running' && now - runsSince >= MIN_RUN_MS)
    if (!first) return undefined
    // Another stack without a caller may be stopped in a moment.
    if (first !== unneeded[0] && now - first[1].lastCalledAt < CALLED_LATELY_MS) return undefined
    log.info({ sandboxId: first[0] }, 'stack stopped, another one needs its capacity')
    return stop(first[0])
  }

  async function stop(sandboxId: string): Promise<void> {
    const entry = entries.get(sandboxId)
    if (!entry) return await options.stop(sandboxId)
    entry.stopping ??= end(sandboxId, entry).finally(() => {
      entry.stopping = undefined
    })
    await entry.stopping
  }

  async function end(sandboxId: string, entry: Entry): Promise<void> {
    const isStarting = entry.state === 'starting'
    entry.state = 'stopping'
    if (isStarting) {
      capacity.cancel(sandboxId)
      startQueue.cancel(sandboxId)
    }
    // Only what it reports now counts: a killed stack may have more work than it reported before.
    entry.dueAt = undefined
    await options.stop(sandboxId)
    if (isStarting) {
      // The process may not have existed yet at the first stop.
      await entry.running.catch(() => undefined)
      await options.stop(sandboxId)
    }
    if (entry.dueAt !== undefined) {
      await within(KEEP_LIMIT_MS, options.keepDue(sandboxId, entry.dueAt)).catch((err) =>
        log.warn({ err, sandboxId }, 'could not save due work of stack'),
      )
    }
    if (entries.get(sandboxId) === entry) entries.delete(sandboxId)
    options.onStopped()
  }

  /** A stack that is stopping takes no new request: the next request starts another. */
  async function entryOf(sandboxId: string): Promise<Entry> {
    const present = entries.get(sandboxId)
    if (present?.state === 'stopping') {
      await stop(sandboxId)
      return await entryOf(sandboxId)
    }
    if (present) return present
    if (closed) throw problems.notReady('The service is shutting down', 5)
    const entry: Entry = {
      state: 'starting',
      running: Promise.reject(new Error('not started')),
      uses: new Set(),
      lastUsedAt: elapsedMs(),
      lastCalledAt: Number.MIN_SAFE_INTEGER,
      isAdmitted: false,
      runsSince: 0,
      startedAt: 0,
      crashes: 0,
      dueAt: undefined,
      stopping: undefined,
    }
    entry.running.catch(() => undefined)
    entries.set(sandboxId, entry)
    begin(sandboxId, entry)
    return entry
  }

  return {
    /** Returns the running stack and starts it if needed; it is not idle until `release` is called. */
    async use(
      sandboxId: string,
      isFromCaller: IsFromCaller = () => true,
    ): Promise<{ stack: RunningStack; release: () => void }> {
      const entry = await entryOf(sandboxId)
      const use: Use = { since: Number.POSITIVE_INFINITY, isFromCaller }
      entry.uses.add(use)
      const release = () => {
        if (!entry.uses.delete(use)) return
        entry.lastUsedAt = elapsedMs()
        if (isFromCaller(entry.lastUsedAt - use.since)) entry.lastCalledAt = entry.lastUsedAt
        if (entry.uses.size === 0) capacity.recheck()
      }
      try {
        const stack = await within(WAKE_LIMIT_MS, entry.running)
        use.since = elapsedMs()
        return { stack, release }
      } catch (err) {
        release()
        throw err instanceof Problem ? err : problems.notReady('The sandbox is waking up', 2)
      }
    },
    /** Starts a stack for its due work. */
    async wake(sandboxId: string): Promise<void> {
      if (entries.has(sandboxId)) return
      const entry = await entryOf(sandboxId)
      if (entry.uses.size === 0) entry.lastUsedAt = Number.NEGATIVE_INFINITY
      await within(WAKE_LIMIT_MS, entry.running)
    },
    /** Sends a command to a running stack; others do not need it. */
    async send(sandboxId: string, command: StackCommand): Promise<void> {
      const entry = entries.get(sandboxId)
      if (!entry || entry.state === 'stopping') return
      await entry.running.then(
        () => options.send(sandboxId, command),
        () => undefined,
      )
    },
    isActive: (sandboxId: string): boolean => entries.has(sandboxId),
    stop,
    /** Use of connections. */
    capacity: capacity.state,
    running: () => [...entries].filter(([, entry]) => entry.state === 'running').map(([sandboxId]) => sandboxId),
    async close() {
      closed = true
      clearInterval(idleCheck)
      await Promise.all([...entries.keys()].map(stop))
    },
  }
}

/** Other signals mean that the system ended a faulty process. */
const wasStoppedBySignal = ({ exitCode, signal }: StackExit): boolean =>
  exitCode === 0 || signal === 'SIGTERM' || signal === 'SIGINT'

export type StackPool = ReturnType<typeof createStackPool>
