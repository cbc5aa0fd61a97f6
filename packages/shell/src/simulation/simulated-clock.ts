import type { ReadSimulation } from './use-simulation.ts'

/** The simulated time now; undefined if the building was never simulated. */
export function simulatedNow({ record, readAt }: ReadSimulation, now: number): number | undefined {
  const { running, speed, simulatedAt } = record
  if (simulatedAt === null) return undefined
  const at = Date.parse(simulatedAt)
  return running ? at + Math.max(0, now - readAt) * speed : at
}

export interface Remaining {
  simulatedMs: number
  /** Undefined while the simulation is stopped: the fault does not end then. */
  realMs: number | undefined
  /** How much of the duration of the fault has passed, from 0 to 1. */
  share: number
}

/** How long an injected fault still lasts. */
export function remainingOf(
  fault: { startsAt: string; endsAt: string },
  simulation: ReadSimulation,
  now: number,
): Remaining {
  const [start, end] = [Date.parse(fault.startsAt), Date.parse(fault.endsAt)]
  const here = simulatedNow(simulation, now) ?? start
  const simulatedMs = Math.max(0, end - here)
  const { running, speed } = simulation.record
  return {
    simulatedMs,
    realMs: running ? simulatedMs / speed : undefined,
    share: end === start ? 1 : Math.min(1, Math.max(0, (here - start) / (end - start))),
  }
}
