import type { BuildingClient, PointNode } from '@storey/sdk'
import { signalOfPoints } from '../colouring/signals.ts'
import type { FrameKind } from './frames.ts'
import { frameKindOf, readFrames } from './read-frames.ts'
import type { ReplayWindow } from './window.ts'

export interface PointFrames {
  kindOf(pointId: string): FrameKind | undefined
  /** Undefined if the point has no value in the frame. */
  valueAt(pointId: string, frame: number): number | undefined
}

/** Reads the values of single points for a replay, with separate requests for each kind of value. */
export async function readPointFrames(
  api: Pick<BuildingClient, 'telemetry'>,
  points: readonly PointNode[],
  window: ReplayWindow,
  abort: AbortSignal,
): Promise<PointFrames> {
  const byKind = Map.groupBy(points, (point) => frameKindOf(signalOfPoints([point], ({ id }) => id)))
  const read = await Promise.all(
    Array.from(byKind.values(), (some) => {
      const ids = some.map(({ id }) => id)
      return readFrames(
        api,
        signalOfPoints(some, ({ id }) => id),
        ids,
        window,
        abort,
      )
    }),
  )
  const framesOf = (pointId: string) => read.find(({ rooms }) => rooms.has(pointId))
  return {
    kindOf: (pointId) => framesOf(pointId)?.kind,
    valueAt(pointId, frame) {
      const frames = framesOf(pointId)
      const value = frames?.values[frames.rooms.get(pointId)! * frames.count + frame]
      return value === undefined || Number.isNaN(value) ? undefined : value
    },
  }
}
