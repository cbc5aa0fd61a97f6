import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../proxies/clients.ts'
import { until } from '../until.ts'
import { PUBLIC_HOST } from './ingress-names.ts'
import type { IngressSandbox, IngressWorld } from './ingress-world.ts'
import type { LiveClient } from './live-client.ts'

const PAUSE_MS = 25
/** The two clients that list sandboxes send at most 300 requests a minute; the limit of their developer is 600. */
const LIST_PAUSE_MS = 400
const BEFORE_MS = 2_000
const AFTER_MS = 5_000
const SEEN_LIMIT_MS = 60_000

export interface IngressLoadResult {
  requests: number
  /** Requests that got no answer of Storey, or a wrong answer: what happened, and how often. */
  failed: string[]
  /** The time from the first to the last failed request. */
  failedForMs: number
  /** Requests that Storey asked to repeat later, because the sandbox was starting again. */
  notReady: number
  slowestMs: number
}

/** Requests and live connections of several clients through the ingress, on connections that stay open. */
export interface IngressLoad {
  /** Runs the requests while `during` runs. */
  run(during: () => Promise<unknown>): Promise<IngressLoadResult>
  /** Waits until every live client has seen every value. Returns how often they connected. */
  untilSeen(): Promise<string>
  close(): void
}

export async function createIngressLoad(world: IngressWorld, sandbox: IngressSandbox): Promise<IngressLoad> {
  const { connection, host, path, pointId } = sandbox
  const { token } = connection
  const values = new Set<string>()
  /** A value that is being stored may be part of the state that a client reads. */
  let sending: string | undefined
  const stored = () => (sending === undefined ? values : [...values, sending])
  const live: LiveClient[] = (['websocket', 'websocket', 'polling'] as const).map((transport) =>
    world.live({ ...connection, transport, stored }),
  )
  const areJoined = () => live.every(({ isJoined }) => isJoined())
  await until('the live clients are connected', areJoined, SEEN_LIMIT_MS)

  return {
    async run(during) {
      const failed = new Map<string, number>()
      const failedAt: number[] = []
      const result = { requests: 0, notReady: 0, slowestMs: 0 }
      let isOver = false
      async function ask(what: string, status: number, send: () => ReturnType<Client['send']>): Promise<boolean> {
        const from = performance.now()
        result.requests++
        const happened = await send().then(
          (reply) => {
            if (reply.status === status) return 'answered'
            return reply.json?.code === 'NOT_READY'
              ? 'not ready'
              : `${reply.status} ${reply.body.toString().slice(0, 160)}`
          },
          (err) => `${err.code ?? err.message}`,
        )
        result.slowestMs = Math.max(result.slowestMs, performance.now() - from)
        if (happened === 'not ready') result.notReady++
        else if (happened !== 'answered') {
          failedAt.push(performance.now())
          failed.set(`${what}: ${happened}`, (failed.get(`${what}: ${happened}`) ?? 0) + 1)
        }
        return happened === 'answered'
      }
      async function read(client: Client): Promise<void> {
        for (; !isOver; await sleep(PAUSE_MS))
          await ask('read', 200, () => client.send(host, `${path}/points?limit=1`, { token }))
        client.close()
      }
      async function list(client: Client): Promise<void> {
        for (; !isOver; await sleep(LIST_PAUSE_MS))
          await ask('list', 200, () => client.send(PUBLIC_HOST, '/api/v1/sandboxes', { token: world.developer.key }))
        client.close()
      }
      async function write(client: Client): Promise<void> {
        for (; !isOver; await sleep(PAUSE_MS)) {
          const value = `${values.size + 1}`
          sending = value
          const body = JSON.stringify({ observations: [{ pointId, value }] })
          const send = () => client.send(host, `${path}/telemetry/observations`, { token, body })
          while (!(await ask('write', 202, send))) await sleep(PAUSE_MS)
          values.add(value)
        }
        client.close()
      }
      const working = [
        ...[read(world.http1()), read(world.http2()), read(world.http1({ node: 2 }))],
        ...[list(world.http1()), list(world.http2({ node: 2 }))],
        write(world.http2()),
      ]
      await sleep(BEFORE_MS)
      try {
        await during()
        await sleep(AFTER_MS)
      } finally {
        isOver = true
        await Promise.all(working)
      }
      return {
        ...result,
        failed: [...failed].map(([what, count]) => `${count} × ${what}`),
        failedForMs: failedAt.length === 0 ? 0 : failedAt.at(-1)! - failedAt[0]!,
      }
    },
    async untilSeen() {
      await until(
        'every live client has seen every value',
        () => areJoined() && live.every(({ seen }) => [...values].every((value) => seen.has(value))),
        SEEN_LIMIT_MS,
      )
      const sum = (name: keyof LiveClient['counts']) => live.reduce((all, { counts }) => all + counts[name], 0)
      return `${live.length} live clients: ${sum('connects')} connects, ${sum('resumed')} resumed, ${sum('snapshots')} read the state`
    },
    close() {
      for (const client of live) client.close()
    },
  }
}
