import { parentPort, workerData } from 'node:worker_threads'
import { generateBuilding, peopledRooms, peopleOfDay, planTelemetry } from '@storey/building'
import { layOutWindow } from './lay-out-window.ts'
import type { ModelOrder, ModelReply, Outline, ThreadData, Window } from './messages.ts'

/** The thread that has the model of a building: it takes its time without holding up requests. */
const { spec } = workerData as ThreadData
const model = planTelemetry(generateBuilding(spec))
const rooms = peopledRooms(model.building)
/** Where stuck dampers stand, by fault: found once. */
const held = new Map<string, number>()

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

function resultOf(order: ModelOrder): Outline | Window | Uint16Array {
  if (order.want === 'outline') return outline()
  if (order.want === 'people') return peopleOfDay(model, rooms, order.dayStart)
  return layOutWindow(model, order.fromMs, order.toMs, order.stuck, held)
}

/** What is handed over rather than copied. */
function columnsOf(result: Outline | Window | Uint16Array): ArrayBufferLike[] {
  if (result instanceof Uint16Array) return [result.buffer]
  return 'values' in result ? [result.offsetsMs.buffer, result.points.buffer, result.values.buffer] : []
}

parentPort!.on('message', (order: ModelOrder) => {
  try {
    const result = resultOf(order)
    parentPort!.postMessage({ id: order.id, result } satisfies ModelReply, columnsOf(result) as ArrayBuffer[])
  } catch (err) {
    const failed = err instanceof Error ? err.message : String(err)
    parentPort!.postMessage({ id: order.id, failed } satisfies ModelReply)
  }
})
