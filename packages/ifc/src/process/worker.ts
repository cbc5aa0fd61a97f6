// The program that reads one file, in a process that can be killed at any time.

import { setPriority } from 'node:os'
import { IfcError } from '../ifc-error.ts'
import type { IfcModel } from '../model.ts'
import { drawRoom } from '../outline/draw-room.ts'
import { type DataOfFile, openGeometry } from '../outline/geometry-model.ts'
import { type RoomToDraw, readStructure } from '../structure/read-structure.ts'
import type { Report, Task } from './messages.ts'

const BATCH_SIZE = 500

process.on('disconnect', killSelf)
process.on('uncaughtException', (error) => void send(failure(error)))
process.once('message', (task: Task) => {
  lowerPriority()
  void read(task).then(send)
})

/** Returns the final report. The receiver then ends the process. */
async function read({ path, drawFrom }: Task): Promise<Report> {
  try {
    const { model, rooms, data } = readStructure(path)
    if (drawFrom === null) await sendModel(model)
    await draw(path, data, rooms.slice(drawFrom ?? 0))
    return { kind: 'done' }
  } catch (error) {
    return error instanceof IfcError ? { kind: 'refused', message: error.message } : failure(error)
  }
}

function failure(error: unknown): Report {
  return { kind: 'failed', stack: (error as Partial<Error> | null)?.stack ?? String(error) }
}

async function draw(path: string, data: DataOfFile, rooms: RoomToDraw[]): Promise<void> {
  const model = rooms.length > 0 ? await openGeometry(path, data) : null
  if (model === null) return
  await send({ kind: 'opened' })
  for (const room of rooms) await send({ kind: 'room', room: drawRoom(model, room) })
}

async function sendModel({ storeys, spaces, elements, leftOut, ...head }: IfcModel): Promise<void> {
  await send({ kind: 'head', head })
  for (const items of batches(storeys)) await send({ kind: 'storeys', items })
  for (const items of batches(spaces)) await send({ kind: 'spaces', items })
  for (const items of batches(elements)) await send({ kind: 'elements', items })
  for (const items of batches(leftOut)) await send({ kind: 'leftOut', items })
  await send({ kind: 'structure-complete' })
}

function* batches<T>(items: T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += BATCH_SIZE) yield items.slice(at, at + BATCH_SIZE)
}

function send(report: Report): Promise<void> {
  return new Promise((resolve) => process.send!(report, () => resolve()))
}

/** Keeps the platform responsive on a small machine. */
function lowerPriority(): void {
  try {
    setPriority(10)
  } catch {
    // Not every system allows a process to change its priority.
  }
}

/** A normal exit can hang for ever, in a deadlock between V8 and its WebAssembly compiler. */
function killSelf(): void {
  process.kill(process.pid, 'SIGKILL')
}
