/** This thread computes with the model of a building, so that the computations do not block requests. */
import { parentPort, workerData } from 'node:worker_threads'
import { generateBuilding, occupiableRooms, peopleOfDay, planTelemetry, sampleDelays } from '@storey/building'
import { releaseMemory } from '@storey/kit/collect-garbage'
import type { ModelReply, ModelRequest, Outline, ThreadData, Window } from './messages.ts'
import { simulateWindow } from './simulate-window.ts'

const { spec } = workerData as ThreadData
const model = planTelemetry(generateBuilding(spec))
const delayed = { model, delays: sampleDelays(model) }
const rooms = occupiableRooms(model.building)
/** The positions of stuck dampers, by `faultId` of `StuckDamper`: computed once. */
const stuckAt = new Map<string, number>()
// Generating a large building leaves as much garbage as the model has data.
releaseMemory()

function outline(): Outline {
  return {
    points: model.building.points.map(({ globalId }) => globalId),
    rooms: rooms.map(({ room, isMeetingRoom }) => ({
      globalId: room.space.globalId,
      isConditioned: room.isConditioned,
      isMeetingRoom,
    })),
  }
}

function resultOf(request: ModelRequest): Outline | Window | Uint32Array {
  if (request.kind === 'outline') return outline()
  if (request.kind === 'people') return peopleOfDay(model, rooms, request.dayStart)
  return simulateWindow(delayed, request.fromMs, request.toMs, request.stuck, stuckAt)
}

/** Buffers that are transferred rather than copied. */
function columnsOf(result: Outline | Window | Uint32Array): ArrayBufferLike[] {
  if (result instanceof Uint32Array) return [result.buffer]
  return 'values' in result ? [result.offsetsMs.buffer, result.points.buffer, result.values.buffer] : []
}

parentPort!.on('message', (request: ModelRequest) => {
  try {
    const result = resultOf(request)
    parentPort!.postMessage({ id: request.id, result } satisfies ModelReply, columnsOf(result) as ArrayBuffer[])
  } catch (err) {
    const failed = err instanceof Error ? err.message : String(err)
    parentPort!.postMessage({ id: request.id, failed } satisfies ModelReply)
  }
  // The thread is idle until the next window, for minutes or hours, and V8 collects garbage only while the thread runs.
  releaseMemory()
})
