import { hash, randomUUID } from 'node:crypto'

/** Where a process of a stack listens. */
export interface StackAddress {
  host: string
  port: number
}

/** The addresses of a stack as the leader knows them. */
export interface ReplicaList {
  /** A random id, new each time the stack starts or another control plane becomes the leader. */
  run: string
  /** Higher than in all earlier lists with the same `run`. */
  version: number
  addresses: readonly StackAddress[]
}

/** The processes that serve one stack. Each answers any request. */
export interface Replicas {
  /** The replicas that get requests; a new array after each change. */
  list(): readonly StackAddress[]
  /** All replicas that listen, including those that get no requests now. */
  all(): readonly StackAddress[]
  /** The list that other control planes get. */
  announcement(): ReplicaList
  /** Calls back after each change of `all`. */
  onChange(listener: () => void): void
  /**
   * Without an affinity, returns the next replica in turn. For an affinity, such as the address of a client, every
   * control plane returns the same replica, as long as the replicas that get requests do not change.
   */
  choose(affinity?: string): StackAddress
  /** Call this when a request did not reach the replica. The others then get its requests for a while. */
  avoid(replica: StackAddress): void
  /** Ends a replica that does not respond. Another one is started in its place. */
  end(replica: StackAddress): Promise<void>
}

export interface OpenReplicas extends Replicas {
  set(listening: readonly StackAddress[]): void
}

/** A replica is avoided this long: about the time within which a control plane notices that a process has ended. */
const AVOID_MS = 5_000

export function createReplicas(
  first: readonly StackAddress[],
  { end, avoidMs = AVOID_MS }: { end: Replicas['end']; avoidMs?: number },
): OpenReplicas {
  let listening = first
  let list = first
  let turn = 0
  let version = 1
  const run = randomUUID()
  const listeners: (() => void)[] = []
  const avoided = new Set<StackAddress>()

  function update(): void {
    const reached = listening.filter((one) => !avoided.has(one))
    // If all are avoided, all get requests again, because each may be reachable by now.
    list = reached.length > 0 ? reached : [...listening]
  }

  return {
    list: () => list,
    all: () => listening,
    announcement: () => ({ run, version, addresses: listening }),
    onChange: (listener) => void listeners.push(listener),
    choose(affinity) {
      if (affinity === undefined) return list[turn++ % list.length]!
      const weights = list.map(({ host, port }) => hash('sha256', `${host} ${port} ${affinity}`))
      return list[weights.indexOf([...weights].sort()[0]!)]!
    },
    avoid(replica) {
      if (!listening.includes(replica) || avoided.has(replica)) return
      avoided.add(replica)
      update()
      setTimeout(() => {
        avoided.delete(replica)
        update()
      }, avoidMs).unref()
    },
    end,
    /** Ignores an empty list, since requests for a stack that has just ended may still need an address. */
    set(next) {
      if (next.length === 0) return
      listening = next.map((one) => listening.find((known) => isSame(known, one)) ?? one)
      version++
      update()
      for (const notify of listeners) notify()
    },
  }
}

export const isSame = (one: StackAddress, other: StackAddress): boolean =>
  one.host === other.host && one.port === other.port

/** The address of a stack for one request. */
export const addressFor = ({ host, port, replicas }: StackAddress & { replicas?: Replicas }, affinity?: string) =>
  replicas?.choose(affinity) ?? { host, port }
