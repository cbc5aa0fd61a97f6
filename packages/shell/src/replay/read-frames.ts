import { LIMITS } from '@storey/contract'
import type { BuildingClient, SeriesQuery } from '@storey/sdk'
import { isMeter } from '../charts/meters.ts'
import type { Signal } from '../colouring/signals.ts'
import { type FrameKind, type Frames, framesOf } from './frames.ts'
import type { ReplayWindow } from './window.ts'

const AGGREGATIONS: Record<FrameKind, SeriesQuery['aggregation']> = {
  measured: 'avg',
  held: 'timeWeightedAvg',
  consumed: 'delta',
}

/** A count is a sensor, but many counters report only changes. */
export function frameKindOf(signal: Pick<Signal, 'isState' | 'quantityKind'>): FrameKind {
  if (signal.isState || signal.quantityKind === 'Count') return 'held'
  return isMeter(signal) ? 'consumed' : 'measured'
}

/** Reads the values of a signal in these rooms: one call for up to a thousand points. */
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
  const query = {
    from: new Date(window.from).toISOString(),
    to: new Date(window.to).toISOString(),
    aggregation: AGGREGATIONS[kind],
    interval: window.interval,
  }
  const tables = await Promise.all(
    parts.map((part) => telemetry.query({ ...query, pointIds: part }, { signal: abort })),
  )
  return framesOf(tables, spaceOf, kind, window)
}
