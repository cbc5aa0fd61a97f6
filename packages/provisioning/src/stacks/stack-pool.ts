import { Problem, problems, type StackCommand, UNAVAILABLE_EXIT_CODE } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import { type Clock, elapsedMs, systemClock } from '@storey/kit/clock'
import { isUnavailable } from '@storey/kit/database'
import { createFairSlots } from '@storey/kit/fair-slots'
import type { Log } from '@storey/kit/log'
import { within } from '@storey/kit/within'
import { chooseStop, type KeepTimes, type Waiting } from './choose-stop.ts'
import { isIdle } from './idle.ts'
import { describeStack, type ListedStack } from './list-stacks.ts'
import type { ReplicaList, StackAddress } from './replicas.ts'
import { BACKOFF, type Backoff, crashPauseMs, wasStoppedBySignal } from './restarts.ts'
import { createServerCapacities, type ServerCapacitiesOptions, serverOf } from './server-capacities.ts'
import { noCapacity, type OwnedSandbox } from './stack-capacity.ts'
import { type Entry, type IsFromCaller, lastCallOf, newEntry, type Use } from './stack-entry.ts'
import {
  DatabaseUnavailable,
  type OnDue,
  type RunningStack,
  StackEnded,
  type StackExit,
  type StackRuntime,
  StartTimedOut,
} from './stack-runtime.ts'
import { createStartQueue, START_QUEUE, type StartQueueOptions } from './start-queue.ts'
import { createStopStacks, type StopStacksOptions } from './stop-stacks.ts'
import { createStopUnresponsive } from './stop-unresponsive.ts'

export interface StackPoolOptions {
  /** `connections`: how many PostgreSQL connections each process of the stack may open. */
  start(sandbox: OwnedSandbox, onDue: OnDue, connections: number): Promise<RunningStack>
  stop(sandboxId: string): Promise<void>
  send: StackRuntime['send']
  /**
   * Saves the due work that a stack reported before it ended; null: the stack reported that no work is due. Not called
   * if the stack sent no report.
   */
  keepDue(sandboxId: string, dueAt: Date | null): Promise<void>
  /** Called after a stack was stopped, or ended by a signal. */
  onStopped(): void
  /** Set if stacks survive this process and other control planes use them too. */
  shared?: SharedUse
  /** A stack without requests for this long, and without work that is due soon, is stopped; 0: never. */
  idleMs: number
  /** Limits of connections and running stacks; unlimited when absent. */
  bounds?: Pick<ServerCapacitiesOptions, 'connectionsOf' | 'maxStacks' | 'replicas' | 'waitMs'> & { keep?: KeepTimes }
  /** The clock that decides when work is due. */
  clock?: Clock
  log: Log
  backoff?: Backoff
  startQueue?: StartQueueOptions
  /** The pauses before a failed stop is repeated. */
  stopRetry?: StopStacksOptions['retry']
  /** Is notified of starts and crashes. */
  observer?: StackObserver | undefined
}

/** What the pool needs to know about other control planes that use the same stacks. */
export interface SharedUse {
  /**
   * Called before an idle stack is stopped. Resolves when the other control planes have stopped using the stack and
   * the pool knows their last uses; rejects if this control plane must not stop the stack.
   */
  confirmIdle(sandboxId: string): Promise<void>
  /** Called when the processes of a running stack have changed. */
  onReplicas(sandboxId: string, replicas: ReplicaList): void
  /** Called when a stack ends or is being stopped. */
  onGone(sandboxId: string): void
}

/** Is notified when stacks start and crash, for metrics. */
export interface StackObserver {
  /** `tookMs` includes the wait for capacity and for other starts. */
  stackStarted?(sandboxId: string, tookMs: number): void
  stackStartFailed?(sandboxId: string, reason: 'database' | 'timeout' | 'crash'): void
  /** A stack that ran, or was starting, ended by itself. */
  stackCrashed?(sandboxId: string, exit: StackExit | undefined): void
}

/** Who uses a stack. */
export interface UsedBy {
  isFromCaller?: IsFromCaller
  /**
   * For a connection that the stack serves itself: when the last request came on it. The pool can stop the stack
   * between two requests of such a connection.
   */
  lastCallAt?: () => number
  /** The address of the client. Each client wakes only a few stacks at a time. */
  client?: string
  /**
   * Whether the credential is valid. Called only if the stack still waits for capacity. The stack itself checks every
   * credential.
   */
  verify?(): Promise<boolean>
}

/** Why a stack ended, or did not start. */
interface EndReason {
  /** Why the stack has to wait for its database; undefined if it does not have to. */
  waitsFor?: string
  /** The error message, if the start of the stack took too long. */
  timedOut?: string
  exit?: StackExit | undefined
}

/**
 * A request waits at most this long until its client can wake one more stack, and then at most this long until the
 * stack has started. After that the request gets 503.
 */
const WAKE_LIMIT_MS = 15_000
/** The longest pause between two searches for idle stacks. */
const IDLE_CHECK_MS = 30_000
/** How long an unused stack, such as one that was woken for due work, runs before it can count as idle. */
const UNUSED_IDLE_MS = 60_000
/** How long `takeBackConnections` waits for the stack to return its connections. */
const TAKE_BACK_LIMIT_MS = 1_000
/** How long after a request a connection counts as in use. Stacks report requests with a short delay. */
const IN_USE_MS = 300
const RETRY_S = 3
const WAKING = 'The sandbox is waking up'

/**
 * The running stacks. A stack is started by the first request that needs it, stopped when it is idle and has no work
 * of its own, and restarted with a growing pause when it crashes.
 */
export function createStackPool(options: StackPoolOptions) {
  const { log, idleMs, clock = systemClock } = options
  const backoff = options.backoff ?? BACKOFF
  const entries = new Map<string, Entry>()
  let closed = false
  const capacity = createServerCapacities({
    ...(options.bounds ?? { connectionsOf: () => Number.POSITIVE_INFINITY, maxStacks: 0 }),
    isVerified,
    stopOne: (owner, coming, serverId) =>
      stopFor({ kind: 'request', owner, isVerified: isVerified(owner, serverId), coming }, serverId),
  })
  const startOptions = options.startQueue ?? START_QUEUE
  const startQueue = createStartQueue(startOptions)
  const clients = createFairSlots({
    perGroup: startOptions.perClient ?? startOptions.maxStarting,
    holdMs: startOptions.holdMs,
  })
  const stops = createStopStacks({
    ...{ ...options, entries, retry: options.stopRetry },
    onStopping: (sandboxId) => options.shared?.onGone(sandboxId),
  })
  const { stop } = stops
  const timeNow = () => ({ elapsedMs: elapsedMs(), date: clock.now() })
  const everyMs = Math.min(idleMs / 2, IDLE_CHECK_MS)
  const retry = { firstMs: everyMs, maxMs: everyMs }
  const idleCheck = createLoop({ name: 'idle-stacks', log, run: stopIdle, everyMs, retry, isExpected: isUnavailable })
  if (idleMs > 0) idleCheck.start(everyMs)

  function begin(entry: Entry): void {
    const { sandbox, cancel } = entry
    const { id: sandboxId, organizationId: owner } = sandbox
    entry.state = 'starting'
    entry.isAdmitted = false
    const begunAt = elapsedMs()
    entry.startedAt = begunAt
    const onDue = (dueAt: Date | null) => {
      entry.dueAt = dueAt
    }
    const start = (connections: number) => {
      entry.startedAt = elapsedMs()
      return options.start(sandbox, onDue, connections)
    }
    entry.running = capacity.acquire(sandbox, cancel.signal).then((connections) => {
      entry.isAdmitted = true
      return startQueue.run(owner, () => start(connections), cancel.signal)
    })
    entry.running.then(
      (stack) => {
        if (entry.isAbandoned) return
        if (entry.state === 'starting') entry.state = 'running'
        entry.runsSince = elapsedMs()
        options.observer?.stackStarted?.(sandboxId, entry.runsSince - begunAt)
        entry.lastUsedAt = Math.max(entry.lastUsedAt, elapsedMs() - idleMs + Math.min(idleMs, UNUSED_IDLE_MS))
        stack.replicas?.onChange(() => {
          if (entries.get(sandboxId) === entry && entry.state === 'running')
            options.shared?.onReplicas(sandboxId, stack.replicas!.announcement())
        })
        stack.ended.then(() => {
          if (entry.isAbandoned) return
          capacity.release(sandboxId)
          const exit = stack.exit?.()
          const isWaiting = exit?.exitCode === UNAVAILABLE_EXIT_CODE
          onEnd(entry, isWaiting ? { waitsFor: 'the database was replaced' } : { exit })
        })
      },
      (err) => {
        if (entry.isAbandoned) return
        capacity.release(sandboxId)
        // The sandbox cannot be started now, for example because it is being migrated. That is not a failure of the
        // stack.
        if (err instanceof Problem) return void (entries.get(sandboxId) === entry && entries.delete(sandboxId))
        const isWaiting = err instanceof DatabaseUnavailable || isUnavailable(err)
        const isAsked = err instanceof StackEnded && wasStoppedBySignal(err.exit)
        const isSlow = err instanceof StartTimedOut
        if (!isWaiting && !isAsked && !isSlow) log.error({ err, sandboxId }, 'stack failed to start')
        const reason = isSlow ? 'timeout' : 'crash'
        if (!isAsked) options.observer?.stackStartFailed?.(sandboxId, isWaiting ? 'database' : reason)
        onEnd(entry, {
          ...(isWaiting ? { waitsFor: err.message } : {}),
          ...(isSlow ? { timedOut: err.message } : {}),
          ...(err instanceof StackEnded ? { exit: err.exit } : {}),
        })
      },
    )
  }

  /** An unavailable database does not count as a crash: the stack starts soon after its database is available. */
  function onEnd(entry: Entry, { waitsFor, timedOut, exit }: EndReason): void {
    const { id: sandboxId } = entry.sandbox
    const isWaiting = waitsFor !== undefined
    if (entries.get(sandboxId) !== entry) return
    if (entry.state === 'stopping') return
    options.shared?.onGone(sandboxId)
    if (closed) return void entries.delete(sandboxId)
    if (exit && wasStoppedBySignal(exit)) return void onSignalEnd(entry)
    if (!isWaiting) entry.crashes = elapsedMs() - entry.startedAt > backoff.resetAfterMs ? 1 : entry.crashes + 1
    const pauseMs = isWaiting ? backoff.databaseMs : crashPauseMs(backoff, entry.crashes)
    if (isWaiting) log.warn({ sandboxId, reason: waitsFor, pauseMs }, 'stack waiting for its database')
    else if (timedOut !== undefined)
      log.warn({ sandboxId, reason: timedOut, pauseMs }, 'stack start timed out, retrying')
    else {
      log.warn({ sandboxId, ...exit, crashes: entry.crashes, pauseMs }, 'stack crashed, restarting')
      options.observer?.stackCrashed?.(sandboxId, exit)
    }
    entry.state = 'waiting'
    entry.running = new Promise((resolve, reject) => {
      setTimeout(() => {
        if (entries.get(sandboxId) !== entry || entry.state !== 'waiting')
          return reject(new Error('the start was cancelled'))
        begin(entry)
        entry.running.then(resolve, reject)
      }, pauseMs).unref()
    })
    entry.running.catch(() => undefined)
  }

  /**
   * A terminal or a process manager sent the stack a signal, usually to the whole process group. The next request
   * starts the stack again.
   */
  function onSignalEnd({ sandbox: { id: sandboxId }, dueAt }: Entry): void {
    log.info({ sandboxId }, 'stack ended by a signal')
    entries.delete(sandboxId)
    if (dueAt !== undefined) {
      options.keepDue(sandboxId, dueAt).catch((err) => log.warn({ err, sandboxId }, 'could not save due work of stack'))
    }
    options.onStopped()
  }

  async function stopIdle(signal: AbortSignal): Promise<void> {
    const idle = [...entries.values()].filter((entry) => isIdle(entry, idleMs, timeNow()))
    const results = await Promise.allSettled(idle.map((entry) => stopIfIdle(entry, signal)))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  }

  async function stopIfIdle(entry: Entry, signal: AbortSignal): Promise<void> {
    const { id: sandboxId } = entry.sandbox
    try {
      if (options.shared) {
        await options.shared.confirmIdle(sandboxId)
        if (signal.aborted || entries.get(sandboxId) !== entry || !isIdle(entry, idleMs, timeNow())) return
      }
      log.info({ sandboxId }, 'stack idle, stopping it')
      await stop(sandboxId)
    } catch (err) {
      throw new Error(`could not stop idle stack ${sandboxId}`, { cause: err })
    }
  }

  /** Whether a request with a valid credential waits for capacity for a stack of this owner. */
  function isVerified(owner: string, serverId: string | undefined): boolean {
    return entriesOn(serverId).some(
      ({ sandbox, isAdmitted, uses }) =>
        sandbox.organizationId === owner && !isAdmitted && [...uses].some((use) => use.isVerified),
    )
  }

  /** The stacks of a database server, or of all servers if `serverId` is undefined. */
  function entriesOn(serverId: string | undefined): Entry[] {
    const all = [...entries.values()]
    return serverId === undefined ? all : all.filter(({ sandbox }) => serverOf(sandbox) === serverId)
  }

  function stopFor(waiting: Waiting, serverId: string | undefined): Promise<void> | undefined {
    const chosen = chooseStop(entriesOn(serverId), waiting, timeNow(), options.bounds?.keep)
    if (!chosen) return undefined
    log.info({ sandboxId: chosen.sandbox.id }, 'stopping stack, another one needs its capacity')
    return stop(chosen.sandbox.id)
  }

  /**
   * A stack that is being stopped gets no new request: the next request waits until the stack has ended, and starts the
   * stack again. If the stack cannot be stopped, that request gets 503.
   */
  async function entryOf(sandbox: OwnedSandbox): Promise<Entry> {
    const present = entries.get(sandbox.id)
    if (present?.state === 'stopping') {
      await stop(sandbox.id).catch((err) => {
        log.debug({ err, sandboxId: sandbox.id }, 'stack cannot start before it has been stopped')
        throw problems.notReady(WAKING, RETRY_S)
      })
      return await entryOf(sandbox)
    }
    if (present) return present
    if (closed) throw problems.notReady('The service is shutting down', 5)
    const entry = newEntry(sandbox, elapsedMs())
    entries.set(sandbox.id, entry)
    begin(entry)
    return entry
  }

  /**
   * Limits how many stacks a client wakes at a time, so that the stacks of other clients do not have to wait for all
   * stacks that this client wakes.
   */
  async function entryFor(sandbox: OwnedSandbox, client: string | undefined): Promise<Entry> {
    if (client === undefined || entries.has(sandbox.id)) return await entryOf(sandbox)
    const { promise: begun, resolve } = Promise.withResolvers<() => void>()
    const endWait = clients.enter(sandbox.id, resolve, client)
    const leave = await within(WAKE_LIMIT_MS, begun).catch(() => {
      endWait()
      throw problems.notReady(WAKING, 2)
    })
    const entry = await entryOf(sandbox).catch((err) => {
      leave()
      throw err
    })
    entry.running.catch(() => undefined).finally(leave)
    return entry
  }

  return {
    /**
     * Returns the running stack, and starts it if needed. The stack does not count as idle until `release` is called.
     */
    async use(
      sandbox: OwnedSandbox,
      { lastCallAt, client, ...usedBy }: UsedBy = {},
    ): Promise<{ stack: RunningStack; release: () => void }> {
      const isInUse = () => lastCallAt === undefined || elapsedMs() - lastCallAt() < IN_USE_MS
      const { isFromCaller = isInUse, verify = async () => isFromCaller(0) } = usedBy
      const entry = await entryFor(sandbox, client)
      const use: Use = {
        since: Number.POSITIVE_INFINITY,
        isFromCaller,
        isVerified: false,
        ...(lastCallAt && { lastCallAt }),
      }
      entry.uses.add(use)
      if (!entry.isAdmitted) {
        void verify().then((isValid) => {
          use.isVerified = isValid
          if (isValid) capacity.recheck()
        })
      }
      const release = () => {
        if (!entry.uses.has(use)) return
        entry.lastCalledAt = lastCallOf(entry)
        entry.uses.delete(use)
        entry.lastUsedAt = elapsedMs()
        if (use.isVerified || isFromCaller(entry.lastUsedAt - use.since)) entry.lastCalledAt = entry.lastUsedAt
        if (entry.uses.size === 0) capacity.recheck()
      }
      try {
        const stack = await (entry.state === 'running' ? entry.running : within(WAKE_LIMIT_MS, entry.running))
        use.since = elapsedMs()
        return { stack, release }
      } catch (err) {
        release()
        throw err instanceof Problem ? err : problems.notReady(WAKING, 2)
      }
    },
    /**
     * Starts a stack for its due work. If there is no capacity for the stack, and no other stack can be stopped, this
     * call throws instead of waiting, because requests come first.
     */
    async wake(sandbox: OwnedSandbox): Promise<void> {
      if (entries.has(sandbox.id)) return
      if (!capacity.isFree(sandbox))
        await (stopFor({ kind: 'work' }, capacity.makesRoomFor(sandbox)) ?? Promise.reject(noCapacity()))
      const entry = await entryOf(sandbox)
      if (entry.uses.size === 0) entry.lastUsedAt = Number.NEGATIVE_INFINITY
      await within(WAKE_LIMIT_MS, entry.running)
    },
    /**
     * Sends a command to the stack if it runs or starts. A stopped stack gets the same information in its configuration
     * when it starts.
     */
    async send(sandboxId: string, command: StackCommand): Promise<void> {
      const entry = entries.get(sandboxId)
      if (!entry || entry.state === 'stopping') return
      await entry.running.then(
        () => options.send(sandboxId, command),
        () => undefined,
      )
    },
    /**
     * Takes back the client connections that the stack serves itself, so that the gateway decides about all later
     * requests. Call this only before the stack is stopped, because the stack gets no such connections again.
     */
    async takeBackConnections(sandboxId: string): Promise<void> {
      const entry = entries.get(sandboxId)
      if (entry?.state !== 'running') return
      const { directIngest } = await entry.running
      if (directIngest) await within(TAKE_BACK_LIMIT_MS, directIngest.close()).catch(() => undefined)
    },
    /** All stacks of the pool, for the operator. */
    list: (): ListedStack[] =>
      [...entries.values()].map((entry) => describeStack(entry, capacity.shareOf(entry.sandbox.id), timeNow())),
    isActive: (sandboxId: string): boolean => entries.has(sandboxId),
    stop,
    stopUnresponsive: createStopUnresponsive({ stop, log }),
    /** How many connections each server has, how many are assigned to stacks, and how many stacks wait for them. */
    capacity: capacity.state,
    running: () => [...entries].filter(([, entry]) => entry.state === 'running').map(([sandboxId]) => sandboxId),
    /** Call this when another control plane has reported how long ago it used the stack. */
    noteUse(sandboxId: string, { usedAgoMs, calledAgoMs }: { usedAgoMs: number; calledAgoMs: number | null }): void {
      const entry = entries.get(sandboxId)
      if (!entry) return
      entry.lastUsedAt = Math.max(entry.lastUsedAt, elapsedMs() - usedAgoMs)
      if (calledAgoMs !== null) entry.lastCalledAt = Math.max(entry.lastCalledAt, elapsedMs() - calledAgoMs)
    },
    /**
     * Call this when a request could not reach the stack, so that later requests avoid the replica for a while. If the
     * process of the stack has ended, `RunningStack.ended` reports that.
     */
    noteUnreachable: (_sandboxId: string, stack: RunningStack, replica?: StackAddress): void => {
      if (replica) stack.replicas?.avoid(replica)
    },
    /** Ends the process of a stack at this address, because it does not respond. */
    async endReplica(sandboxId: string, { host, port }: StackAddress): Promise<void> {
      const entry = entries.get(sandboxId)
      const { replicas } = (entry?.state === 'running' && (await entry.running)) || {}
      const replica = replicas?.all().find((one) => one.host === host && one.port === port)
      if (replica) await replicas!.end(replica)
    },
    /** Forgets all stacks, also those that are starting. The stacks keep running, under another control plane. */
    abandon(): void {
      const abandoned = [...entries]
      entries.clear()
      for (const [sandboxId, entry] of abandoned) {
        entry.isAbandoned = true
        entry.cancel.abort(problems.notReady(WAKING, RETRY_S))
        capacity.release(sandboxId)
      }
    },
    async close() {
      closed = true
      // Not awaited: a check may wait for other control planes, and stops nothing after this.
      void idleCheck.stop()
      await stops.close()
    },
  }
}

export type LocalStackPool = ReturnType<typeof createStackPool>
export type StackPool = Omit<LocalStackPool, 'noteUse' | 'abandon' | 'endReplica'>
