import type { Client } from 'aedes'
import { type Allowance, createAllowance, type Memory } from './allowance.ts'
import { createPacketPace, type PacketPace } from './packet-pace.ts'
import type { Sender } from './receive.ts'
import type { Valve } from './valve.ts'

/** Of one sandbox: its connections, and the bytes of its messages that wait in memory. */
const MOST_CLIENTS = 50
const MOST_BYTES = 32 * 1024 * 1024
/** Of all sandboxes together. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024
/** What one client may subscribe to: there is one topic to read, and a few ways to name it. */
export const MAX_FILTERS = 50

export interface Session {
  sandbox: Sender & { sandboxId: string }
  valve: Valve
  /** Settles when every message so far is done with. */
  tail: Promise<unknown>
  /** What it subscribed to, with the QoS. */
  filters: Map<string, number>
  /** The client was told that it is let in: its messages may come. */
  start(): void
}

interface Sandbox {
  slug: string
  clients: Map<Client, Session>
  allowance: Allowance
  packetPace: PacketPace
}

/** Who is connected, by sandbox. */
export function createSessions() {
  const sessions = new WeakMap<Client, Session>()
  const sandboxes = new Map<string, Sandbox>()
  const memory: Memory = { used: 0, maxBytes: MAX_MEMORY_BYTES }

  function leave(sandboxId: string, client: Client): void {
    const sandbox = sandboxes.get(sandboxId)
    sandbox?.clients.delete(client)
    // Messages of a client that left may still be under way; they count until they are done with.
    if (sandbox?.clients.size === 0 && sandbox.allowance.used() === 0) sandboxes.delete(sandboxId)
  }

  const all = (): [Client, Session][] => [...sandboxes.values()].flatMap(({ clients }) => [...clients])

  return {
    of: (client: Client): Session | undefined => sessions.get(client),
    hasRoom: (sandboxId: string): boolean => (sandboxes.get(sandboxId)?.clients.size ?? 0) < MOST_CLIENTS,
    open(client: Client, valve: Valve, sandbox: Session['sandbox']): void {
      const { sandboxId, slug } = sandbox
      const present = sandboxes.get(sandboxId)
      const sandboxHere = present ?? {
        slug,
        clients: new Map(),
        allowance: createAllowance(MOST_BYTES, memory),
        packetPace: createPacketPace(),
      }
      if (!present) sandboxes.set(sandboxId, sandboxHere)
      const { clients, allowance, packetPace } = sandboxHere
      const start = () => valve.open(allowance, packetPace)
      const session = { sandbox, valve, tail: Promise.resolve(), filters: new Map(), start }
      sessions.set(client, session)
      clients.set(client, session)
      valve.once('close', () => {
        leave(sandboxId, client)
        session.tail.finally(() => leave(sandboxId, client))
      })
    },
    inSandbox: (sandboxId: string): Iterable<[Client, Session]> => sandboxes.get(sandboxId)?.clients ?? [],
    ofSlug: (slug: string): Client[] =>
      [...sandboxes.values()].filter((sandbox) => sandbox.slug === slug).flatMap(({ clients }) => [...clients.keys()]),
    count: () => all().length,
    idle: () => Promise.all(all().map(([, { tail }]) => tail)),
  }
}
