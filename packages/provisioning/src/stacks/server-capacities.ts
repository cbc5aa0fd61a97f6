import {
  createStackCapacity,
  type OwnedSandbox,
  type StackCapacity,
  type StackCapacityOptions,
} from './stack-capacity.ts'

export interface ServerCapacitiesOptions {
  /** How many connections all stacks of a database server together may open. */
  connectionsOf(serverId: string): number
  /** The maximum number of running stacks, over all servers; 0: limited by connections only. */
  maxStacks: number
  /**
   * Stops a stack to make room, as in `StackCapacityOptions`. The stack must be on the server `serverId`; if `serverId`
   * is undefined, it may be on any server.
   */
  stopOne(owner: string, coming: number, serverId: string | undefined): Promise<void> | undefined
  isVerified(owner: string, serverId: string): boolean
  /** How many processes each stack has. */
  replicas?: number
  waitMs?: number
}

export interface CapacityState {
  serverId: string
  connections: number
  used: number
  waiting: number
}

export const serverOf = ({ serverId }: OwnedSandbox): string => serverId ?? 'control'

/** The capacity of each database server. All servers together run no more stacks than `maxStacks`. */
export function createServerCapacities(options: ServerCapacitiesOptions) {
  const { maxStacks } = options
  const byServer = new Map<string, StackCapacity>()
  const holdersOf = new Map<string, string>()
  const running = () => [...byServer.values()].reduce((sum, capacity) => sum + capacity.size(), 0)
  const isFull = () => maxStacks > 0 && running() >= maxStacks

  function capacityOf(serverId: string): StackCapacity {
    const present = byServer.get(serverId)
    if (present) return present
    const bounds: StackCapacityOptions = {
      connections: () => options.connectionsOf(serverId),
      isFull,
      stopOne: (owner, coming) => options.stopOne(owner, coming, isFull() ? undefined : serverId),
      isVerified: (owner) => options.isVerified(owner, serverId),
      ...(options.waitMs === undefined ? {} : { waitMs: options.waitMs }),
      ...(options.replicas === undefined ? {} : { replicas: options.replicas }),
    }
    const created = createStackCapacity(bounds)
    byServer.set(serverId, created)
    return created
  }

  // `state` always lists the server of the control database.
  capacityOf('control')

  return {
    acquire(sandbox: OwnedSandbox, signal?: AbortSignal): Promise<number> {
      const serverId = serverOf(sandbox)
      holdersOf.set(sandbox.id, serverId)
      return capacityOf(serverId).acquire(sandbox, signal)
    },
    /** Returns the connections of a stack that has ended. */
    release(sandboxId: string): void {
      const serverId = holdersOf.get(sandboxId)
      holdersOf.delete(sandboxId)
      if (serverId !== undefined) byServer.get(serverId)?.release(sandboxId)
      // With a maximum number of stacks, the end of a stack makes room on every server.
      if (maxStacks > 0) for (const [id, capacity] of byServer) if (id !== serverId) capacity.recheck()
    },
    /** The number of connections of a stack; 0 while the stack waits for connections. */
    shareOf: (sandboxId: string): number => byServer.get(holdersOf.get(sandboxId) ?? '')?.shareOf(sandboxId) ?? 0,
    /** Whether a new stack would get its connections without waiting. */
    isFree: (sandbox: OwnedSandbox): boolean => capacityOf(serverOf(sandbox)).isFree(),
    /** The server whose stacks may be stopped for this sandbox; undefined: stacks of any server. */
    makesRoomFor: (sandbox: OwnedSandbox): string | undefined => (isFull() ? undefined : serverOf(sandbox)),
    recheck(): void {
      for (const capacity of byServer.values()) capacity.recheck()
    },
    /** By server: its connections, how many are assigned to stacks, and how many stacks wait for connections. */
    state: (): CapacityState[] => [...byServer].map(([serverId, capacity]) => ({ serverId, ...capacity.state() })),
  }
}
