import { setTimeout as sleep } from 'node:timers/promises'
import { createLoop, recordRun } from '@storey/kit/background'
import { elapsedMs } from '@storey/kit/clock'
import type { ClockCheck } from '@storey/kit/clock-check'
import { isUnavailable, type Tx } from '@storey/kit/database'
import { inSpan } from '@storey/kit/tracing'
import { deleteOldRevoked } from '../features/accounts/index.ts'
import {
  type Busy,
  filterToMigrate,
  findAny,
  listToMigrate,
  listToProvision,
  listToRemove,
  readWorkStates,
  type SandboxRow,
  type WorkState,
} from '../features/sandboxes/index.ts'
import type { TenantServers } from '../tenants/index.ts'
import { type Creation, createCreationTurns } from './creation-turns.ts'
import { type ExpireDeps, expire } from './expire.ts'
import { createFailureLog } from './failure-log.ts'
import { migrateSandbox } from './migrate.ts'
import { findLostDatabase } from './missing-database.ts'
import { createPauses } from './pauses.ts'
import { type ProvisionDeps, provision } from './provision.ts'
import { remove } from './remove.ts'
import { createStopClosed } from './stop-closed.ts'
import { createSweep } from './sweep.ts'
import { holdsWorkLock, listLocks, WorkLockLost, withWorkLock } from './work-lock.store.ts'

export interface ReconcilerOptions extends ProvisionDeps, ExpireDeps {
  servers: TenantServers
  /** Compares the clocks before anything expires or is removed. */
  clockCheck: ClockCheck
  isLeader(): boolean
  /** True if several control planes work at once: each works on the sandboxes that no other works on. */
  isShared?: boolean
  /** Called when another control plane may have to abort its work on a sandbox, or to start work. */
  notifyWork?(): void
  /** Called in each run, before the migrations. */
  scheduleMigrations(): Promise<void>
  /** How many sandboxes are provisioned at a time, at least two. */
  concurrency: number
  tickMs?: number
  sweepEveryMs?: number
}

type Kind = 'provision' | 'remove' | 'migrate'

/**
 * Each piece of work holds a connection and needs further ones, so the work in progress must need fewer connections
 * than the pool has.
 */
const MAX_AT_ONCE = { remove: 2, migrate: 2 }

/** How often work checks that it still has its lock. */
const LOCK_CHECK_MS = 2_000

/** How many sandboxes are read at a time: more than are worked on at a time, so that each organization has its turn. */
const LISTED = 100

interface Work {
  abort: AbortController
  done: Promise<void>
  kind: Kind
  creation?: Creation
}

/**
 * Brings databases in line with the rows of sandboxes: creates the database of a new sandbox, migrates databases with
 * an older schema, and removes the database of a sandbox that was deleted or whose grace period is over. Work on a
 * sandbox holds a session lock, so when a process dies the lock is released immediately and another process continues
 * the work. Work that loses its lock is aborted.
 */
export function createReconciler(options: ReconcilerOptions) {
  const { control, log, clockCheck, onChange } = options
  const working = new Map<string, Work>()
  /** Sandboxes to migrate first, because a request waits for them. */
  const prioritized = new Set<string>()
  const everyMs = options.tickMs ?? 5_000
  const loop = createLoop({ name: 'reconciler', log, run, everyMs, isExpected: isUnavailable })
  const pauses = createPauses(everyMs)
  const turns = createCreationTurns(options.concurrency)
  const sweep = createSweep(options)
  const { tickMs } = options
  const stopClosed = createStopClosed({ ...options, ...(tickMs === undefined ? {} : { everyMs: tickMs }) })
  const failures = createFailureLog(log)
  const version = options.migrations.length
  let closed = false
  let nextSweepAt = 0

  async function run(): Promise<void> {
    const isLeader = options.isLeader()
    if (!isLeader && !options.isShared) return
    // All control planes compare the clocks, so that the next leader trusts them already.
    const time = await clockCheck.compare()
    if (time && isLeader) await expire(options, time, (id) => abortWork(id, 'the sandbox is expired'))
    await abortPointless()
    const locks = options.isShared ? await listLocks(control) : []
    const busy = (kind: Kind): Busy => ({ ids: [...working.keys(), ...pauses.of(kind)], locks })
    const present = options.servers.present().map(({ id }) => id)
    for (const id of await listToRemove(control, { ...busy('remove'), present }, LISTED))
      if (!closed && hasCapacity('remove')) startWork(id, 'remove')
    await startCreations(busy)
    await options.scheduleMigrations()
    if (hasCapacity('migrate')) await startMigrations(busy('migrate'))
    if (closed) return
    if (time?.mayExpire && isLeader && elapsedMs() >= nextSweepAt) {
      nextSweepAt = elapsedMs() + (options.sweepEveryMs ?? 600_000)
      await sweep(time)
      if (time.mayRemove) await deleteOldRevoked(control, time.now)
    }
  }

  /** Aborts work that is pointless, because this or another control plane removes, expires or resets its sandbox. */
  async function abortPointless(): Promise<void> {
    if (working.size === 0) return
    for (const state of await readWorkStates(control, [...working.keys()])) {
      const reason = reasonToAbort(working.get(state.id)?.kind, state)
      if (reason !== undefined) abortWork(state.id, reason)
    }
  }

  /**
   * Large sandboxes come first, since small ones have a slot that no large one uses. Both lists are read before the
   * first creation is begun, so that no small sandbox takes a slot that becomes free between the two reads.
   */
  async function startCreations(busy: (kind: Kind) => Busy): Promise<void> {
    const waiting = {
      large: await listToProvision(control, busy('provision'), 'large', LISTED),
      small: await listToProvision(control, busy('provision'), 'small', LISTED),
    }
    for (const size of ['large', 'small'] as const) {
      for (const { id, owner } of turns.order(size, waiting[size])) {
        const running = [...working.values()].flatMap(({ creation }) => creation ?? [])
        if (!closed && turns.mayBegin({ owner, size }, running)) startWork(id, 'provision', { owner, size })
      }
    }
  }

  /** Sandboxes that a request waits for come first, however many others are due before them. */
  async function startMigrations(busy: Busy): Promise<void> {
    const wanted = [...prioritized]
    prioritized.clear()
    const first = wanted.length === 0 ? [] : await filterToMigrate(control, version, busy, wanted)
    for (const id of new Set([...first, ...(await listToMigrate(control, version, busy, LISTED))])) {
      if (closed) return
      if (hasCapacity('migrate')) startWork(id, 'migrate')
      else if (first.includes(id)) prioritized.add(id)
    }
  }

  const abortWork = (id: string, reason: string) => working.get(id)?.abort.abort(new Error(reason))

  const countOf = (isAlike: (work: Work) => boolean) => [...working.values()].filter(isAlike).length

  const hasCapacity = (kind: keyof typeof MAX_AT_ONCE) => countOf((work) => work.kind === kind) < MAX_AT_ONCE[kind]

  /** After finished or aborted work the loop runs again immediately. Failed work waits until its pause is over. */
  function startWork(id: string, kind: Kind, creation?: Creation): void {
    const abort = new AbortController()
    const done = control
      .session((session) =>
        withWorkLock(session, id, () =>
          whileLocked(session, id, abort, () => traced(kind, id, () => work(id, abort.signal, session))),
        ),
      )
      .catch((err) => {
        recordRun(`sandbox-${kind}`, false)
        failures.failed(id, err)
        pauses.failed(kind, id)
        return false
      })
      .then((worked) => {
        working.delete(id)
        if (creation) turns.ended(creation)
        if (!worked) return
        recordRun(`sandbox-${kind}`, true)
        failures.ended(id)
        pauses.ended(kind, id)
        loop.wake()
      })
    working.set(id, { abort, done, kind, ...(creation ? { creation } : {}) })
  }

  async function whileLocked(session: Tx, id: string, abort: AbortController, run: () => Promise<void>): Promise<void> {
    const checks = createLoop({ name: 'work-lock', log, run: check, everyMs: LOCK_CHECK_MS })
    async function check(): Promise<void> {
      if (abort.signal.aborted || (await holdsWorkLock(session))) return
      log.warn({ sandboxId: id }, 'lock on a sandbox lost, aborting the work on it')
      abort.abort(new WorkLockLost())
    }
    checks.start(LOCK_CHECK_MS)
    try {
      await run()
    } finally {
      await checks.stop()
    }
  }

  const traced = (kind: Kind, id: string, run: () => Promise<void>) =>
    inSpan({ name: `${kind} sandbox`, attributes: { 'storey.sandbox.id': id } }, run)

  async function work(id: string, signal: AbortSignal, lock: Tx): Promise<void> {
    const row = await findAny(control, id)
    if (!row) return
    if (row.removingAt) await remove(options, row)
    else if (row.status === 'provisioning' && !row.expiredAt) await provision(options, row, signal, lock)
    else if (row.migrationTarget === version && !row.expiredAt) await migratePresent(row, signal)
    onChange(row.slug)
  }

  async function migratePresent(row: SandboxRow, signal: AbortSignal): Promise<void> {
    if (row.serverId === null || (await findLostDatabase(options, row.id)) !== undefined) return
    await migrateSandbox({ ...options, tenants: options.servers.of(row.serverId) }, row, signal)
  }

  return {
    start() {
      loop.start()
      stopClosed.start()
    },
    /** Runs the loop now. */
    wake: loop.wake,
    /** Migrates this sandbox before others. */
    prioritizeMigration(id: string): void {
      prioritized.add(id)
      loop.wake()
    },
    async untilRemoved(id: string, limitMs: number): Promise<boolean> {
      const deadline = elapsedMs() + limitMs
      abortWork(id, 'the sandbox is being removed')
      options.notifyWork?.()
      for (let pauseMs = 20; elapsedMs() < deadline; pauseMs = Math.min(pauseMs * 2, 500)) {
        loop.wake()
        const leftMs = deadline - elapsedMs()
        await Promise.race([working.get(id)?.done, sleep(leftMs, undefined, { ref: false })])
        if ((await findAny(control, id)) === undefined) return true
        // Another process may do the removal, so this one polls.
        await sleep(Math.min(pauseMs, leftMs))
      }
      return false
    },
    /** Looks for leftovers and missing databases. Returns undefined, and does nothing, while the clocks disagree. */
    async sweep() {
      const time = await clockCheck.compare()
      return time && (await sweep(time))
    },
    async close(): Promise<void> {
      closed = true
      for (const { abort } of working.values()) abort.abort(new Error('the service is shutting down'))
      await Promise.all([loop.stop(), stopClosed.stop(), ...[...working.values()].map(({ done }) => done)])
    },
  }
}

function reasonToAbort(
  kind: Kind | undefined,
  { isRemoving, isExpired, isProvisioning }: WorkState,
): string | undefined {
  if (kind === undefined || kind === 'remove') return undefined
  if (isRemoving) return 'the sandbox is being removed'
  if (isExpired) return 'the sandbox is expired'
  // A reset makes a migration pointless.
  return kind === 'migrate' && isProvisioning ? 'the sandbox is being reset' : undefined
}

export type Reconciler = ReturnType<typeof createReconciler>
