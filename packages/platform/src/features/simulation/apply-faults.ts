import type { SimulatedFault } from '@storey/contract'

/** A fault that befalls a point, in simulated time. */
export interface PointFault {
  id: string
  fault: SimulatedFault
  startMs: number
  endMs: number
  unit: string
}

/** What a broken sensor is off by after an hour, in its own unit: enough to be seen within the hour. */
const DRIFT_AN_HOUR: Record<string, number> = { DEG_C: 2, PPM: 200, PERCENT_RH: 8, PERCENT: 10, PA: 40, LUX: 100 }
/** Any other is off by this share of what it should show. */
const DRIFT_SHARE_AN_HOUR = 0.1
const MOST: Record<string, number> = { PERCENT_RH: 100, PERCENT: 100 }

/** What a point says while these faults befall it; undefined: nothing. `held` has where stuck dampers stand. */
export function asBroken(
  value: number,
  atMs: number,
  faults: readonly PointFault[],
  held: ReadonlyMap<string, number>,
): number | undefined {
  let said = value
  for (const { id, fault, startMs, endMs, unit } of faults) {
    if (atMs < startMs || atMs >= endMs) continue
    if (fault === 'silent-gateway') return undefined
    if (fault === 'stuck-damper') said = held.get(id) ?? said
    else said = drifted(said, (atMs - startMs) / 3_600_000, unit)
  }
  return said
}

function drifted(value: number, hours: number, unit: string): number {
  const off = hours * (DRIFT_AN_HOUR[unit] ?? Math.abs(value) * DRIFT_SHARE_AN_HOUR)
  return Math.round(Math.min(value + off, MOST[unit] ?? Number.POSITIVE_INFINITY) * 100) / 100
}
