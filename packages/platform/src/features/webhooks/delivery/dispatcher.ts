import { LIMITS } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { Outbound } from '@storey/kit/outbound'
import type { SecretVault } from '../subscriptions/secret-vault.ts'
import { createBodyCache } from './body-cache.ts'
import {
  type Claim,
  claimDue,
  makeDelayedDue,
  type QueueFigures,
  readNextDue,
  readQueueFigures,
  releaseClaims,
} from './claims.store.ts'
import { LEASE_MS, latestLease } from './leases.ts'
import { makeAttempt } from './make-attempt.ts'
import { createRecorder } from './recorder.ts'
import { createRetention } from './retention.ts'
import { latestRetryAt, retryAt } from './retry-at.ts'
import {
  type Job,
  needsMore,
  newSubscriptionQueue,
  noteOutcome,
  SLOTS,
  type SubscriptionQueue,
  slotsOf,
  wantedClaims,
} from './subscription-queue.ts'

export interface DispatcherParts {
  db: Database
  clock: Clock
  outbound: Outbound
  vault: SecretVault
  log: Log
  /** Called when results of attempts were written. */
  onRecorded?(): void
}

/** Sends the queued deliveries of webhooks. Several dispatchers can work on one database. */
export interface Dispatcher {
  start(): void
  /** Call when a delivery may be due. */
  wake(): void
  /**
   * Call when a subscription has changed: its claimed deliveries whose attempt has not started are released and claimed
   * again.
   */
  changed(webhookId: string): void
  /**
   * When the next delivery is due or the next lease ends, whichever is earlier; null: nothing will be sent unless a new
   * event or a person causes it.
   */
  nextDue(): Promise<Date | null>
  /** The number of attempts since this dispatcher was created. */
  attempts(): { succeeded: number; failed: number }
  /** Figures from the database. */
  figures(): Promise<QueueFigures>
  /** Resolves when all due deliveries are sent and all outcomes are written. */
  idle(): Promise<void>
  /** Deletes old deliveries and events, see `retention.ts`. */
  deleteExpired(): Promise<void>
  /** Stops claiming, and waits for running attempts. */
  close(): Promise<void>
}

/** An attempt starts only if its lease still lasts this long. */
const MIN_LEASE_MS = LIMITS.webhook.timeoutMs + 5_000
/** If more results than this wait to be written, they are written before more deliveries are claimed. */
const MAX_UNWRITTEN = 4_000
/** How often the queues are checked for work that other processes added or left behind, while nothing is pending. */
const IDLE_MS = 60_000
/** How often the queues are checked while a delivery is pending. */
const PENDING_MS = 5_000
/** How often the queues are checked while due deliveries wait for their receiver. */
const BUSY_MS = 1_000
const RETRY = { firstMs: 500, maxMs: 1_000 }

export function createDispatcher(parts: DispatcherParts): Dispatcher {
  const { db, clock, outbound, vault, log } = parts
  const queues = new Map<string, SubscriptionQueue>()
  const bodies = createBodyCache()
  const running = new Set<Promise<void>>()
  const retention = createRetention(db, log)
  const recorder = createRecorder({
    ...{ db, clock, log },
    onRecorded(results) {
      parts.onRecorded?.()
      retention.note(new Set(results.map(({ webhookId }) => webhookId)), results.length)
      for (const { nextAttemptAt } of results) {
        if (nextAttemptAt !== null) loop.wakeIn(nextAttemptAt.getTime() - clock.now().getTime())
      }
    },
  })
  const loop = createLoop({ name: 'webhook-delivery', log, run: deliver, everyMs: IDLE_MS, retry: RETRY })
  const attempts = { succeeded: 0, failed: 0 }
  let closed = false
  let isClaiming = false
  let nextCheckAt = Number.NEGATIVE_INFINITY

  async function deliver(): Promise<number> {
    if (performance.now() < nextCheckAt) await claimAll()
    else nextCheckAt = performance.now() + (await check())
    return nextCheckAt - performance.now()
  }

  /** Returns the time until the next check. In an idle sandbox a check is one small query, once a minute. */
  async function check(): Promise<number> {
    if (queues.size === 0 && (await readNextDue(db)) === null) return IDLE_MS
    await correctDelayed()
    await claimAll()
    return untilNextDue()
  }

  async function claimAll(): Promise<void> {
    isClaiming = true
    try {
      for (let isAgain = true; isAgain && !closed; ) {
        if (recorder.size > MAX_UNWRITTEN) await recorder.idle()
        await claim()
        isAgain = [...queues.values()].some((queue) => needsMore(queue, bodies))
      }
    } finally {
      isClaiming = false
    }
  }

  async function correctDelayed(): Promise<void> {
    const now = clock.now()
    const count = await makeDelayedDue(db, now, latestRetryAt(now))
    if (count > 0) log.warn({ count }, 'deliveries delayed by a wrong clock are due now')
  }

  /** Reads the head of every queue, so it is not called after each wake-up. */
  async function untilNextDue(): Promise<number> {
    const due = await readNextDue(db)
    if (due === null) return IDLE_MS
    const inMs = due.getTime() - clock.now().getTime()
    return inMs <= 0 ? BUSY_MS : Math.min(inMs, PENDING_MS)
  }

  async function claim(): Promise<void> {
    const now = clock.now()
    const leaseUntil = new Date(now.getTime() + LEASE_MS)
    const limits = new Map([...queues].map(([id, queue]) => [id, wantedClaims(queue, bodies)]))
    const held = bodies.pin()
    try {
      const claims = await claimDue(db, {
        now,
        leaseUntil,
        latestLease: latestLease(now),
        defaultLimit: SLOTS,
        limits,
        held,
      })
      const jobs = toJobs(claims, leaseUntil)
      if (closed) return void release(jobs)
      const byWebhook = Map.groupBy(jobs, ({ webhookId }) => webhookId)
      for (const [id, own] of byWebhook) queueOf(id).ready.push(...own)
      for (const [id, queue] of queues) {
        // With a limit of 0 no deliveries were searched for, so more may be due.
        queue.hasMore = (byWebhook.get(id)?.length ?? 0) >= (limits.get(id) ?? SLOTS)
        begin(id, queue)
      }
    } finally {
      for (const eventId of held) bodies.drop(eventId)
    }
  }

  function toJobs(claims: readonly Claim[], leasedUntil: Date): Job[] {
    const read = new Map(claims.filter(({ body }) => body !== null).map(({ eventId, body }) => [eventId, body]))
    const targets = new Map(
      claims.flatMap(({ webhookId, url, ...sealed }) =>
        url === null ? [] : [[webhookId, { to: outbound.to(url), signers: vault.open(webhookId, sealed) }]],
      ),
    )
    return claims.map(({ deliveryId, webhookId, eventId, idempotencyKey, attempt, maxAttempts }) => {
      const { to, signers } = targets.get(webhookId)!
      const body = bodies.take(eventId, read.get(eventId) ?? null)
      const triesLeft = maxAttempts - attempt
      return { deliveryId, webhookId, eventId, idempotencyKey, attempt, triesLeft, leasedUntil, to, signers, body }
    })
  }

  function queueOf(webhookId: string): SubscriptionQueue {
    const queue = queues.get(webhookId) ?? newSubscriptionQueue()
    queues.set(webhookId, queue)
    return queue
  }

  function begin(webhookId: string, queue: SubscriptionQueue): void {
    while (queue.running < slotsOf(queue) && queue.ready.length > 0 && !closed) {
      const job = queue.ready.shift()!
      // The process may have been suspended, and another one may have claimed the delivery since.
      if (job.leasedUntil.getTime() - clock.now().getTime() < MIN_LEASE_MS) {
        bodies.drop(job.eventId)
        continue
      }
      queue.running++
      track(run(queue, job))
    }
    // A queue that may have more due deliveries is kept until the next claim, which shows whether there are any.
    if (queue.running === 0 && queue.ready.length === 0 && !queue.hasMore) queues.delete(webhookId)
  }

  function track(work: Promise<void>): void {
    const tracked = work.finally(() => running.delete(tracked))
    running.add(tracked)
  }

  async function run(queue: SubscriptionQueue, job: Job): Promise<void> {
    const outcome = await makeAttempt(outbound, clock, job)
    queue.running--
    if (outcome.isStalled) {
      // The process was suspended during the attempt, so the attempt does not count, and is repeated.
      release([job])
      return begin(job.webhookId, queue)
    }
    bodies.drop(job.eventId)
    noteOutcome(queue, outcome)
    attempts[outcome.isSuccess ? 'succeeded' : 'failed']++
    const { deliveryId, webhookId, attempt, leasedUntil } = job
    const nextAttemptAt = outcome.isSuccess ? null : retryAt(clock.now(), job.triesLeft)
    recorder.add({ deliveryId, webhookId, attempt, leasedUntil, outcome, nextAttemptAt })
    if (!queue.isQuick) release(queue.ready.splice(0))
    // If a claim is in progress, `claimAll` itself claims again when a queue needs more deliveries.
    if (!isClaiming && needsMore(queue, bodies)) loop.wake()
    begin(webhookId, queue)
  }

  /** If a claim cannot be released, its delivery is due again when its lease ends. */
  function release(jobs: readonly Job[]): void {
    for (const { eventId } of jobs) bodies.drop(eventId)
    for (const [lease, own] of Map.groupBy(jobs, ({ leasedUntil }) => leasedUntil)) {
      const ids = own.map(({ deliveryId }) => deliveryId)
      const releasing = releaseClaims(db, ids, lease)
      track(releasing.then(loop.wake, (err) => log.warn({ err }, 'claims not released')))
    }
  }

  return {
    start() {
      retention.start()
      loop.start()
    },
    wake: loop.wake,
    changed(webhookId) {
      const queue = queues.get(webhookId)
      if (queue) release(queue.ready.splice(0))
      loop.wake()
    },
    nextDue: () => readNextDue(db),
    attempts: () => ({ ...attempts }),
    figures: () => readQueueFigures(db, clock.now()),
    async idle() {
      for (let isQuiet = false; !isQuiet; ) {
        await loop.runNow()
        await loop.idle()
        isQuiet = running.size === 0
        await Promise.all(running)
        await recorder.idle()
      }
    },
    deleteExpired: () => retention.deleteExpired(),
    async close() {
      closed = true
      await loop.stop()
      release([...queues.values()].flatMap(({ ready }) => ready.splice(0)))
      await Promise.all(running)
      await recorder.idle()
      await retention.close()
    },
  }
}
