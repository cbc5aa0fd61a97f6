import type { BuildingClient, FaultRecord } from '@storey/sdk'
import { frameAt, type ReplayWindow, timeOf } from './window.ts'

/** The maximum number of faults that are read: the newest of those that were detected before the end of the window. */
const MAX_FAULTS = 1000

/**
 * The faults that were active in the window, oldest first. They are searched among the newest `MAX_FAULTS` faults that
 * were detected before the end of the window, and among the newest 200 faults that are still active.
 */
export async function readReplayFaults(
  { faults }: Pick<BuildingClient, 'faults'>,
  { from, to }: ReplayWindow,
  signal: AbortSignal,
): Promise<FaultRecord[]> {
  const found = new Map<string, FaultRecord>()
  const addIfActive = (fault: FaultRecord) => {
    const { detectedAt, resolvedAt } = fault
    const isActive = resolvedAt === null || Date.parse(resolvedAt) >= from
    if (isActive && Date.parse(detectedAt) < to) found.set(fault.id, fault)
  }
  let read = 0
  // The list begins with the newest fault. A fault that was detected long before the window can end in it.
  for await (const fault of faults.listAll({}, { signal })) {
    if (Date.parse(fault.detectedAt) < to && ++read > MAX_FAULTS) break
    addIfActive(fault)
  }
  const active = await faults.list({ active: true, limit: 200 }, { signal })
  for (const fault of active.data) addIfActive(fault)
  return [...found.values()].sort((a, b) => (a.detectedAt < b.detectedAt ? -1 : 1))
}

/**
 * The faults that were active during a frame. Faults that were acknowledged before the end of the frame have the state
 * `acknowledged`, the others `open`.
 */
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
