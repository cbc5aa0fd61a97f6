import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from './expect-status.ts'
import type { Soak } from './run-soak.ts'

/** What the parts of the mixed load use. */
export interface MixedSoak extends Soak {
  api: Api
}

/** Work that is done again and again during a run. */
export interface Task {
  /** What is done, in the plural. */
  what: string
  everyMs: number
  work(): Promise<unknown>
}

/** The load of one kind of client. */
export interface MixedPart {
  tasks: readonly Task[]
  /** What was counted besides the tasks. */
  counted?(): string
  close?(): Promise<void> | void
}

/** Does the work of a task at its interval until the run is over. Returns how often it succeeded. */
export async function repeat({ everyMs, work }: Task, { isOver, attempt }: Soak): Promise<number> {
  let count = 0
  while (!isOver()) {
    const dueAt = performance.now() + everyMs
    if (await attempt(work)) count++
    await untilDue(dueAt, isOver)
  }
  return count
}

/** Waits in short steps, so that a task with a long interval does not prolong the run. */
async function untilDue(dueAt: number, isOver: () => boolean): Promise<void> {
  for (;;) {
    const restMs = dueAt - performance.now()
    if (restMs <= 0 || isOver()) return
    await sleep(Math.min(restMs, 1_000))
  }
}
