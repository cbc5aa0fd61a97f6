import { LIMITS } from '@storey/contract'
import type { BuildingClient, SeriesQuery } from '@storey/sdk'
import { isMeter } from '../charts/meters.ts'
import type { Signal } from '../colouring/signals.ts'
import { type FrameKind, type Frames, framesOf } from './frames.ts'
import type { ReplayRange, ReplayWindow } from './window.ts'

const HOUR_MS = 3_600_000

const AGGREGATIONS: Record<FrameKind, SeriesQuery['aggregation']> = {
  measured: 'avg',
  held: 'timeWeightedAvg',
  consumed: 'delta',
}

/** Many counters (sensors with the quantity kind Count) report only changes, so a count holds until the next count. */
export function frameKindOf(signal: Pick<Signal, 'isState' | 'quantityKind'>): FrameKind {
  if (signal.isState || signal.quantityKind === 'Count') return 'held'
  return isMeter(signal) ? 'consumed' : 'measured'
}

/** Meters report every quarter of an hour or every hour, so consumption has longer intervals than other values. */
const CONSUMPTION: Record<ReplayRange, { interval: string; intervalMs: number }> = {
  day: { interval: '1h', intervalMs: HOUR_MS },
  week: { interval: '3h', intervalMs: 3 * HOUR_MS },
  month: { interval: '1d', intervalMs: 24 * HOUR_MS },
}

/** The interval of the values that a replay shows. */
export function intervalOf(kind: FrameKind, window: ReplayWindow): { interval: string; intervalMs: number } {
  if (kind === 'consumed') return CONSUMPTION[window.range]
  return { interval: window.interval, intervalMs: window.stepMs }
}

/** Reads the values of a signal in these rooms, with one request for every thousand points. */
export async function readFrames(
  { telemetry }: Pick<BuildingClient, 'telemetry'>,
  signal: Signal,
  spaceIds: readonly string[],
  window: ReplayWindow,
  abort: AbortSignal,
): Promise<Frames> {
  const spaceOf = new Map<string, string>()
  for (const spaceId of spaceIds) {
    for (const { id } of signal.pointsBySpace.get(spaceId) ?? []) spaceOf.set(id, spaceId)
  }
  const kind = frameKindOf(signal)
  const pointIds = [...spaceOf.keys()]
  const { points: size } = LIMITS.manySeries
  const parts = Array.from({ length: Math.ceil(pointIds.length / size) }, (_, i) =>
    pointIds.slice(i * size, (i + 1) * size),
  )
  const { interval, intervalMs } = intervalOf(kind, window)
  // The interval in which the window starts is read as a whole.
  const query = {
    from: new Date(Math.floor(window.from / intervalMs) * intervalMs).toISOString(),
    to: new Date(window.to).toISOString(),
    aggregation: AGGREGATIONS[kind],
    interval,
  }
  const tables = await Promise.all(
    parts.map((part) => telemetry.query({ ...query, pointIds: part }, { signal: abort })),
  )
  return framesOf(tables, spaceOf, kind, window)
}
