import { SIMULATION_SOURCE } from '@storey/contract'
import type { ObservedBatch } from '../telemetry/index.ts'

/** The numbers of the points that clients have written to since the process started. */
export interface ClientPoints {
  readonly seen: ReadonlySet<number>
  /** Call with every committed batch. */
  note(observations: ObservedBatch['observations']): void
}

export function createClientPoints(): ClientPoints {
  const seen = new Set<number>()
  return {
    seen,
    note({ count, points, sources, sourceNames }) {
      const simulation = sourceNames.indexOf(SIMULATION_SOURCE) + 1
      for (let i = 0; i < count; i++) {
        if (simulation === 0 || sources?.[i] !== simulation) seen.add(points[i]!)
      }
    },
  }
}
