import { setPriority } from 'node:os'
import { IfcError } from '../ifc-error.ts'
import type { IfcModel } from '../model.ts'
import { drawRoom } from '../outline/draw-room.ts'
import { type DataOfFile, openGeometry } from '../outline/geometry-model.ts'
import { type RoomToDraw, readStructure } from '../structure/read-structure.ts'
import type { Report, Task } from './messages.ts'

/** The program that reads one file, in a process that may be killed at any time. */

const PIECE = 500

process.on('disconnect', die)
process.on('uncaughtException', die)
process.once('message', (task: Task) => {
  yieldToOthers()
  void read(task).then(tell)
})

/** The last report; who hears it ends the process. */
async function read({ path, drawFrom }: Task): Promise<Report> {
  try {
    const { model, rooms, data } = readStructure(path)
    if (drawFrom === null) await hand(model)
    await draw(path, data, rooms.slice(drawFrom ?? 0))
    return { kind: 'done' }
  } catch (error) {
    return error instanceof IfcError ? { kind: 'refused', sentence: error.message } : { kind: 'failed' }
  }
}

async function draw(path: string, data: DataOfFile, rooms: RoomToDraw[]): Promise<void> {
  const model = rooms.length > 0 ? await openGeometry(path, data) : null
  if (model === null) return
  await tell({ kind: 'opened' })
  for (const room of rooms) await tell({ kind: 'room', room: drawRoom(model, room) })
}

async function hand({ storeys, spaces, elements, leftOut, ...head }: IfcModel): Promise<void> {
  await tell({ kind: 'head', head })
  for (const items of pieces(storeys)) await tell({ kind: 'storeys', items })
  for (const items of pieces(spaces)) await tell({ kind: 'spaces', items })
  for (const items of pieces(elements)) await tell({ kind: 'elements', items })
  for (const items of pieces(leftOut)) await tell({ kind: 'leftOut', items })
  await tell({ kind: 'structure-complete' })
}

function* pieces<T>(items: T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += PIECE) yield items.slice(at, at + PIECE)
}

function tell(report: Report): Promise<void> {
  return new Promise((resolve) => process.send!(report, () => resolve()))
}

/** The platform that started this stays responsive on a small machine. */
function yieldToOthers(): void {
  try {
    setPriority(10)
  } catch {
    // Not every system lets a process do that.
  }
}

/** An orderly exit can hang for ever: the engine waits for a compiler of WebAssembly that waits for the engine. */
function die(): void {
  process.kill(process.pid, 'SIGKILL')
}
