import type { BuildingClient, FaultRecord } from '@storey/sdk'
import { frameAt, type ReplayWindow, timeOf } from './window.ts'

/** Of the faults that were detected in the window, the newest are read, up to this number. */
const MAX_FAULTS = 1000

/**
 * The faults that were detected in the window, and those of the 200 newest active faults that were detected before it.
 * Oldest first.
 */
export async function readReplayFaults(
  { faults }: Pick<BuildingClient, 'faults'>,
  { from, to }: ReplayWindow,
  signal: AbortSignal,
): Promise<FaultRecord[]> {
  const found = new Map<string, FaultRecord>()
  // The list begins with the newest fault.
  for await (const fault of faults.listAll({}, { signal })) {
    if (found.size >= MAX_FAULTS || Date.parse(fault.detectedAt) < from) break
    if (Date.parse(fault.detectedAt) < to) found.set(fault.id, fault)
  }
  const active = await faults.list({ active: true, limit: 200 }, { signal })
  for (const fault of active.data) {
    if (Date.parse(fault.detectedAt) < to) found.set(fault.id, fault)
  }
  return [...found.values()].sort((a, b) => (a.detectedAt < b.detectedAt ? -1 : 1))
}

/** The faults that were active at some time of a frame, in the state that they had then. */
export function faultsAt(faults: readonly FaultRecord[], window: ReplayWindow, frame: number): FaultRecord[] {
  const start = timeOf(window, frame)
  const end = start + window.stepMs
  return faults
    .filter(
      ({ detectedAt, resolvedAt }) =>
        Date.parse(detectedAt) < end && (resolvedAt === null || Date.parse(resolvedAt) >= start),
    )
    .map((fault) => ({ ...fault, state: isBefore(fault.acknowledgedAt, end) ? 'acknowledged' : 'open' }))
}
const isBefore = (instant: string | null, at: number) => instant !== null && Date.parse(instant) < at

/** The faults that were detected in the window, with their frames. */
export function detectionsIn(faults: readonly FaultRecord[], window: ReplayWindow): Detection[] {
  return faults
    .map((fault) => ({ fault, at: Date.parse(fault.detectedAt) }))
    .filter(({ at }) => at >= window.from && at < window.to)
    .map(({ fault, at }) => ({ fault, frame: frameAt(window, at) }))
}

export interface Detection {
  fault: FaultRecord
  frame: number
}

/** The frame of the next or the previous detection; undefined if there is none. */
export const nextDetection = (detections: readonly Detection[], frame: number): number | undefined =>
  detections.find((one) => one.frame > frame)?.frame
export const previousDetection = (detections: readonly Detection[], frame: number): number | undefined =>
  detections.findLast((one) => one.frame < frame)?.frame
