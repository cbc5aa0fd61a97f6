import { StartupError } from '@storey/kit/startup-error'

export interface ConnectionPlan {
  /** Connections in the pool of the control plane. */
  control: number
  /** Connections of all stacks together. */
  stacks: number
}

/**
 * The size of the control plane's pool. The work of the reconciler holds at most 6 connections. So even the smallest
 * pool has two more, for the other statements of that work and for requests.
 */
const CONTROL = { min: 8, max: 20 }
/**
 * Connections outside the pool: one for the leader lock, two for seeding, two for migrations, one for an operator
 * command, which may open more if there are free ones.
 */
const OUTSIDE_POOL = 6
/**
 * If several control planes serve at once, each has two more connections: one for its lease, and one for notices from
 * the others.
 */
const SHARED = 2
/** How many connections each process of a stack needs. */
const MIN_FOR_STACKS = 3

/** Reserves the control plane's connections first, so that stacks cannot use them up. */
export function planConnections(budget: number, { isShared = false, replicas = 1 } = {}): ConnectionPlan {
  const outside = OUTSIDE_POOL + (isShared ? SHARED : 0)
  const control = Math.min(Math.max(Math.floor(budget / 5), CONTROL.min), CONTROL.max)
  const stacks = budget - control - outside
  if (stacks < MIN_FOR_STACKS * replicas) {
    const min = CONTROL.min + outside + MIN_FOR_STACKS * replicas
    throw new StartupError(
      `${budget} connections to PostgreSQL are too few: at least ${min} are needed. Raise max_connections or DATABASE_CONNECTIONS.`,
    )
  }
  return { control, stacks }
}
