import { StartupError } from '@storey/kit/startup-error'

export interface ConnectionPlan {
  /** Of the control plane's own pool. */
  control: number
  /** Of all stacks together. */
  stacks: number
}

/** The pool's least: what the reconciler may hold at a time, and two for everyone else. */
const CONTROL = { least: 8, most: 20 }
/** Beside the pool: the lock of the leader, two seeds, two migrations, and a command of the operator's. */
const BESIDE = 6
const MIN_FOR_STACKS = 3

/** What the control plane needs is set apart first, so that no number of stacks can take it. */
export function planConnections(budget: number): ConnectionPlan {
  const control = Math.min(Math.max(Math.floor(budget / 5), CONTROL.least), CONTROL.most)
  const stacks = budget - control - BESIDE
  if (stacks < MIN_FOR_STACKS) {
    const least = CONTROL.least + BESIDE + MIN_FOR_STACKS
    throw new StartupError(
      `${budget} connections to PostgreSQL are too few: at least ${least} are needed. Raise max_connections or DATABASE_CONNECTIONS.`,
    )
  }
  return { control, stacks }
}
