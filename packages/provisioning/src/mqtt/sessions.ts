import type { Clock } from '@storey/kit/clock'
import type { Client } from 'aedes'
import { createArrivalTimes } from './arrival-times.ts'
import { createMemoryBudget, type Memory, type MemoryBudget } from './memory-budget.ts'
import { createPacketRate, type PacketRate } from './packet-rate.ts'
import type { Sender } from './receive.ts'
import type { TakePacket, ThrottledSocket } from './throttled-socket.ts'

/** Limits of one sandbox: connections, and bytes of messages in memory. */
const MAX_CLIENTS = 50
const MAX_BYTES = 32 * 1024 * 1024
/** The memory limit of all sandboxes together. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024
/** The maximum number of subscriptions of one client. A client needs few, because there is only one topic to read. */
export const MAX_FILTERS = 50

export interface Session {
  sandbox: Sender & { sandboxId: string }
  connection: ThrottledSocket
  /** Resolves when every message that was received so far is handled. */
  tail: Promise<unknown>
  /** The time of arrival of the next message. */
  nextArrival(): Date
  /** The ids of messages with QoS 2 that the client has not released yet. It may send them again. */
  unreleased: Set<number>
  /** The client's subscriptions, with their QoS. */
  filters: Map<string, number>
  /** Starts reading messages. Call it after CONNACK was sent. */
  start(takePacket: TakePacket): void
}

interface Sandbox {
  slug: string
  clients: Map<Client, Session>
  budget: MemoryBudget
  packetRate: PacketRate
}

/** The connected clients by sandbox. */
export function createSessions(clock: Clock) {
  const sessions = new WeakMap<Client, Session>()
  const sandboxes = new Map<string, Sandbox>()
  const memory: Memory = { used: 0, maxBytes: MAX_MEMORY_BYTES }

  function leave(sandboxId: string, client: Client): void {
    const sandbox = sandboxes.get(sandboxId)
    sandbox?.clients.delete(client)
    // The sandbox stays while messages of a disconnected client still use the budget.
    if (sandbox?.clients.size === 0 && sandbox.budget.used() === 0) sandboxes.delete(sandboxId)
  }

  const all = (): [Client, Session][] => [...sandboxes.values()].flatMap(({ clients }) => [...clients])

  return {
    of: (client: Client): Session | undefined => sessions.get(client),
    hasCapacity: (sandboxId: string): boolean => (sandboxes.get(sandboxId)?.clients.size ?? 0) < MAX_CLIENTS,
    open(client: Client, connection: ThrottledSocket, sandbox: Session['sandbox']): void {
      const { sandboxId, slug } = sandbox
      const present = sandboxes.get(sandboxId)
      const sandboxHere = present ?? {
        slug,
        clients: new Map(),
        budget: createMemoryBudget(MAX_BYTES, memory),
        packetRate: createPacketRate(),
      }
      if (!present) sandboxes.set(sandboxId, sandboxHere)
      const { clients, budget, packetRate } = sandboxHere
      const start = (takePacket: TakePacket) => connection.open(budget, packetRate, takePacket)
      const nextArrival = createArrivalTimes(clock)
      const tail = Promise.resolve()
      const [unreleased, filters] = [new Set<number>(), new Map<string, number>()]
      const session: Session = { sandbox, connection, tail, nextArrival, unreleased, filters, start }
      sessions.set(client, session)
      clients.set(client, session)
      connection.once('close', () => {
        leave(sandboxId, client)
        void Promise.all([session.tail, budget.returned()]).finally(() => leave(sandboxId, client))
      })
    },
    inSandbox: (sandboxId: string): Iterable<[Client, Session]> => sandboxes.get(sandboxId)?.clients ?? [],
    ofSlug: (slug: string): Client[] =>
      [...sandboxes.values()].filter((sandbox) => sandbox.slug === slug).flatMap(({ clients }) => [...clients.keys()]),
    slugs: (): string[] => [...sandboxes.values()].map(({ slug }) => slug),
    withId: (clientId: string): Client[] => {
      const [sandboxId = ''] = clientId.split('/')
      return [...(sandboxes.get(sandboxId)?.clients.keys() ?? [])].filter(({ id }) => id === clientId)
    },
    count: () => all().length,
    memory: () => ({ waitingBytes: memory.used, maxWaitingBytes: memory.maxBytes }),
    idle: () => Promise.all(all().map(([, { tail }]) => tail)),
  }
}

export type Sessions = ReturnType<typeof createSessions>
