import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { elapsedMs } from '@storey/kit/clock'
import { type Database, openDatabase, type Tx } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { LocalStackPool, ReplicaList, StackRuntime } from '../stacks/index.ts'
import { createLeadership, type LeaseTimes } from './leadership.ts'
import { createNotices, type Notice, newPlaneId, type StackAnswer, type StackRequest } from './notices.ts'
import { createReaderAssignment } from './reader-assignment.ts'
import { createUseRecorder } from './record-uses.ts'
import { createSharedStacks, type SharedStacks } from './shared-stacks.ts'
import { deleteUses, readUses } from './stack-uses.store.ts'

export interface PlanesOptions {
  control: Database
  /** The address of the control database, for connections that must not wait for the pool of `control`. */
  url: string
  log: Log
  /** Called when another control plane has changed a sandbox; undefined: any sandbox may have changed. */
  onChanged(slug: string | undefined): void
  /** Called when another control plane has work for the reconciler. */
  onWork(): void
  /** Called when this control plane begins to lead. */
  onGained(): void
  /**
   * Called with each notice that an MQTT client has connected: to another control plane, or to this one if `isOwn`.
   * Every control plane gets all notices in the same order, its own included. So the notices after an own notice are
   * about later connections.
   */
  onMqttClient(clientId: string, isOwn: boolean): void
  times?: PlaneTimes
}

export interface PlaneTimes extends LeaseTimes {
  usesEveryMs: number
  /** The time limit within which the other control planes can report that they use a stack, before it is stopped. */
  confirmMs: number
}

const CONFIRM_MS = 1_000
const REPEAT_MS = 1_000
/** How many answers are kept, to be sent again if their request is repeated. */
const MAX_ANSWERS = 1_000

/** The control planes that serve at the same time: which one leads, and which messages they exchange. */
export function createPlanes(options: PlanesOptions) {
  const { control, log, times } = options
  const id = newPlaneId()
  const db = openDatabase({
    ...{ url: options.url, log, applicationName: 'storey-plane' },
    ...{ maxConnections: 1, minConnections: 1 },
    // If the database is replaced, `control` reports it.
    onReplaced: () => undefined,
  })
  const asked = new Map<string, (answer: StackAnswer) => void>()
  const answers = new Map<string, Promise<StackAnswer>>()
  let pool: { local: LocalStackPool; runtime: StackRuntime; stacks: SharedStacks } | undefined

  const leadership = createLeadership({
    ...{ db, planeId: id, log },
    ...(times ? { times } : {}),
    onGained() {
      pool?.stacks.allGone()
      options.onGained()
    },
    onLost: abandon,
    onReleased: () => send({ type: 'resigned' }),
  })
  const notices = createNotices({
    ...{ control, url: options.url, planeId: id, log, onNotice, onOwnNotice },
    onGap() {
      pool?.stacks.allGone()
      options.onChanged(undefined)
      options.onWork()
      leadership.wake()
    },
  })
  const aliveTime = times ? { aliveMs: times.durationMs } : {}
  const uses = createUseRecorder({
    ...{ control, planeId: id, log, afterWrite: mergeUses },
    ...(times ? { everyMs: times.usesEveryMs } : {}),
  })

  /**
   * Sends a notice. A failure is only logged, because the other control planes act without the notice too, but later:
   * caches have a time limit, and requests are repeated.
   */
  const send = (notice: Notice) =>
    notices.send(notice).catch((err) => log.debug({ err, notice: notice.type }, 'could not notify control planes'))

  function onNotice(notice: Notice, from: string): void {
    if (notice.type === 'changed') options.onChanged(notice.slug)
    else if (notice.type === 'work') options.onWork()
    else if (notice.type === 'resigned') leadership.wake()
    else if (notice.type === 'mqtt-client') options.onMqttClient(notice.clientId, false)
    else if (notice.type === 'replicas') pool?.stacks.setReplicas(notice.sandboxId, notice.replicas)
    else if (notice.type === 'gone') {
      pool?.stacks.gone(notice.sandboxId)
      uses.flush(notice.sandboxId).catch((err) => log.debug({ err }, 'could not record the use of a stack'))
    } else if (notice.type === 'answer' && notice.to === id) asked.get(notice.id)?.(notice.answer)
    else if (notice.type === 'ask') void answer(notice.id, notice.request, from)
  }

  function onOwnNotice(notice: Notice): void {
    if (notice.type === 'mqtt-client') options.onMqttClient(notice.clientId, true)
  }

  /** A request that is repeated gets the same answer and is not handled twice. */
  async function answer(requestId: string, request: StackRequest, to: string): Promise<void> {
    if (!leadership.isLeader() || !pool) return
    const handled = answers.get(requestId) ?? pool.stacks.handle(request)
    answers.set(requestId, handled)
    if (answers.size > MAX_ANSWERS) answers.delete(answers.keys().next().value!)
    await send({ type: 'answer', id: requestId, to, answer: await handled })
  }

  /** On the leader: reports to the pool how long ago each of its stacks was used by any control plane. */
  async function mergeUses(): Promise<void> {
    if (!leadership.isLeader() || !pool) return
    const { local } = pool
    for (const { sandboxId, ...use } of await readUses(control, local.running())) local.noteUse(sandboxId, use)
  }

  function abandon(): void {
    if (!pool) return
    const sandboxIds = pool.local.list().map(({ sandboxId }) => sandboxId)
    pool.local.abandon()
    for (const sandboxId of sandboxIds) pool.runtime.detach?.(sandboxId)
  }

  return {
    id,
    isLeader: leadership.isLeader,
    fence: (tx: Tx) => leadership.fence(tx),
    readers: createReaderAssignment({ control, planeId: id, aliveEpoch: leadership.aliveEpoch, ...aliveTime }),
    send,
    /** For the pool of stacks. */
    sharedUse: {
      async confirmIdle(sandboxId: string): Promise<void> {
        // The other control planes then record their uses of the stack, and ask the leader before they use it again.
        await send({ type: 'gone', sandboxId })
        await sleep(times?.confirmMs ?? CONFIRM_MS)
        await mergeUses()
        await control.transaction(leadership.fence)
      },
      onReplicas(sandboxId: string, replicas: ReplicaList): void {
        if (leadership.isLeader()) void send({ type: 'replicas', sandboxId, replicas })
      },
      onGone(sandboxId: string): void {
        if (!leadership.isLeader()) return
        void send({ type: 'gone', sandboxId })
        deleteUses(control, sandboxId).catch((err) => log.debug({ err }, 'could not delete the uses of a stack'))
      },
    },
    share(local: LocalStackPool, runtime: StackRuntime): SharedStacks {
      const stacks = createSharedStacks({ local, isLeader: leadership.isLeader, uses, ask, log })
      pool = { local, runtime, stacks }
      return stacks
    },
    start(): void {
      notices.start()
      leadership.start()
      uses.start()
    },
    /** Lets another control plane lead. This one continues to serve requests. */
    resign: leadership.resign,
    async close(): Promise<void> {
      await leadership.resign().catch((err) => log.debug({ err }, 'could not release the lease'))
      await uses.close()
      await leadership.close()
      await notices.close()
      abandon()
      await db.close()
    },
  }

  /**
   * Sends a request to the leader, and repeats it until there is an answer, because a message can be lost with a
   * connection, or the leader can end.
   */
  async function ask(request: StackRequest, limitMs: number): Promise<StackAnswer | undefined> {
    const requestId = randomUUID()
    const { promise, resolve } = Promise.withResolvers<StackAnswer>()
    asked.set(requestId, resolve)
    const deadline = elapsedMs() + limitMs
    try {
      while (elapsedMs() < deadline && !leadership.isLeader()) {
        await send({ type: 'ask', id: requestId, request })
        const repeatMs = Math.min(REPEAT_MS, Math.max(0, deadline - elapsedMs()))
        const answer = await Promise.race([promise, sleep(repeatMs, undefined, { ref: false })])
        if (answer) return answer
      }
      return undefined
    } finally {
      asked.delete(requestId)
    }
  }
}

export type Planes = ReturnType<typeof createPlanes>
