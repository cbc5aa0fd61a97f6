import { problems } from '@storey/contract'
import type { Log } from '@storey/kit/log'
import { within } from '@storey/kit/within'
import type { RunningStack } from './stack-runtime.ts'

export interface StackPoolOptions {
  start(sandboxId: string): Promise<RunningStack>
  stop(sandboxId: string): Promise<void>
  /** 0: never. */
  idleMs: number
  log: Log
  backoff?: { firstMs: number; mostMs: number; calmMs: number }
}

interface Entry {
  state: 'starting' | 'running' | 'stopping' | 'waiting'
  /** Settles with the running stack; replaced at each start. */
  running: Promise<RunningStack>
  using: number
  lastUsedAt: number
  startedAt: number
  crashes: number
}

/** How long a request waits for a stack that wakes before it is told to come back. */
const WAKE_LIMIT_MS = 15_000
const BACKOFF = { firstMs: 250, mostMs: 30_000, calmMs: 60_000 }

/**
 * The stacks that run, each started by the first request that needs it, stopped when nobody used it for a while,
 * and started again, ever more slowly, when it crashes.
 */
export function createStackPool(options: StackPoolOptions) {
  const { log, idleMs } = options
  const backoff = options.backoff ?? BACKOFF
  const entries = new Map<string, Entry>()
  let closed = false
  const idleCheck = idleMs > 0 ? setInterval(stopIdle, Math.min(idleMs / 2, 30_000)).unref() : undefined

  function begin(sandboxId: string, entry: Entry): void {
    entry.state = 'starting'
    entry.startedAt = Date.now()
    entry.running = options.start(sandboxId)
    entry.running.then(
      (stack) => {
        if (entry.state === 'starting') entry.state = 'running'
        stack.ended.then(() => onEnd(sandboxId, entry))
      },
      (err) => {
        log.error({ err, sandboxId }, 'a stack did not start')
        onEnd(sandboxId, entry)
      },
    )
  }

  function onEnd(sandboxId: string, entry: Entry): void {
    if (entries.get(sandboxId) !== entry) return
    if (closed || entry.state === 'stopping') return void entries.delete(sandboxId)
    entry.crashes = Date.now() - entry.startedAt > backoff.calmMs ? 1 : entry.crashes + 1
    const pauseMs = Math.min(backoff.firstMs * 2 ** (entry.crashes - 1), backoff.mostMs)
    log.warn({ sandboxId, crashes: entry.crashes, pauseMs }, 'a stack ended by itself, and is started again')
    entry.state = 'waiting'
    entry.running = new Promise((resolve, reject) => {
      setTimeout(() => {
        if (entries.get(sandboxId) !== entry || entry.state !== 'waiting') return reject(new Error('no longer wanted'))
        begin(sandboxId, entry)
        entry.running.then(resolve, reject)
      }, pauseMs).unref()
    })
    entry.running.catch(() => undefined)
  }

  function stopIdle(): void {
    const before = Date.now() - idleMs
    for (const [sandboxId, entry] of entries) {
      if (entry.using > 0 || entry.lastUsedAt > before || entry.state === 'stopping') continue
      log.info({ sandboxId }, 'a stack is idle, and is stopped')
      stop(sandboxId).catch((err) => log.error({ err, sandboxId }, 'an idle stack did not stop'))
    }
  }

  async function stop(sandboxId: string): Promise<void> {
    const entry = entries.get(sandboxId)
    if (entry) entry.state = 'stopping'
    await options.stop(sandboxId)
    if (entry && entries.get(sandboxId) === entry) entries.delete(sandboxId)
  }

  /** A stack that is being stopped is not used any more: the next request starts another. */
  async function entryOf(sandboxId: string): Promise<Entry> {
    const present = entries.get(sandboxId)
    if (present?.state === 'stopping') {
      await options.stop(sandboxId)
      if (entries.get(sandboxId) === present) entries.delete(sandboxId)
      return await entryOf(sandboxId)
    }
    if (present) return present
    if (closed) throw problems.notReady('The service is shutting down', 5)
    const entry: Entry = {
      state: 'starting',
      running: Promise.reject(new Error('not started')),
      using: 0,
      lastUsedAt: Date.now(),
      startedAt: 0,
      crashes: 0,
    }
    entry.running.catch(() => undefined)
    entries.set(sandboxId, entry)
    begin(sandboxId, entry)
    return entry
  }

  return {
    /** The running stack, woken if need be; it is not idle until `release` is called. */
    async use(sandboxId: string): Promise<{ stack: RunningStack; release: () => void }> {
      const entry = await entryOf(sandboxId)
      entry.using++
      let released = false
      const release = () => {
        if (released) return
        released = true
        entry.using--
        entry.lastUsedAt = Date.now()
      }
      try {
        return { stack: await within(WAKE_LIMIT_MS, entry.running), release }
      } catch {
        release()
        throw problems.notReady('The sandbox is waking up', 2)
      }
    },
    stop,
    running: () => [...entries].filter(([, entry]) => entry.state === 'running').map(([sandboxId]) => sandboxId),
    async close() {
      closed = true
      clearInterval(idleCheck)
      await Promise.all([...entries.keys()].map(stop))
    },
  }
}

export type StackPool = ReturnType<typeof createStackPool>
