import type { SimulatedFault } from '@storey/contract'

/** A fault of a point, in simulated time. */
export interface PointFault {
  /** `<id of the fault>/<number of the point>`, because a fault of an element may affect several points. */
  id: string
  fault: SimulatedFault
  startMs: number
  endMs: number
  unit: string
}

/** The error of a drifting sensor after an hour, in the unit of the sensor: large enough to be seen in a chart. */
const DRIFT_AN_HOUR: Record<string, number> = { DEG_C: 2, PPM: 200, PERCENT_RH: 8, PERCENT: 10, PA: 40, LUX: 100 }
/** The error for any other unit, as a share of the true value. */
const DRIFT_SHARE_AN_HOUR = 0.1
const MAX_VALUE: Record<string, number> = { PERCENT_RH: 100, PERCENT: 100 }

/**
 * The value that a point with these faults sends; undefined if it sends nothing. `stuckAt` has the positions of stuck
 * dampers by the `id` of their point faults.
 */
export function faultyValue(
  value: number,
  atMs: number,
  faults: readonly PointFault[],
  stuckAt: ReadonlyMap<string, number>,
): number | undefined {
  let sent = value
  for (const { id, fault, startMs, endMs, unit } of faults) {
    if (atMs < startMs || atMs >= endMs) continue
    if (fault === 'silent-gateway') return undefined
    if (fault === 'stuck-damper') sent = stuckAt.get(id) ?? sent
    else sent = drifted(sent, (atMs - startMs) / 3_600_000, unit)
  }
  return sent
}

function drifted(value: number, hours: number, unit: string): number {
  const off = hours * (DRIFT_AN_HOUR[unit] ?? Math.abs(value) * DRIFT_SHARE_AN_HOUR)
  return Math.round(Math.min(value + off, MAX_VALUE[unit] ?? Number.POSITIVE_INFINITY) * 100) / 100
}
