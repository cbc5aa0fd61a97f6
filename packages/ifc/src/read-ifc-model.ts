import { realpath } from 'node:fs/promises'
import { IfcError } from './ifc-error.ts'
import type { IfcModel, IfcSpace } from './model.ts'
import type { DrawnRoom } from './outline/draw-room.ts'
import type { Report } from './process/messages.ts'
import { type Ending, runWorker } from './process/run-worker.ts'

export interface ReadingLimits {
  memoryMb?: number
  timeoutMs?: number
  signal?: AbortSignal
}

/** Rooms that bring the process down are passed over, but not without end. */
const MAX_PROCESSES = 5
const ROOM_MS = 30_000

/**
 * Reads a file in a process of its own. The structure comes first: what happens while the rooms are drawn costs
 * outlines, never the model.
 */
export async function readIfcModel(file: string, limits: ReadingLimits = {}): Promise<IfcModel> {
  const { memoryMb = 1024, timeoutMs = 5 * 60_000, signal } = limits
  if (signal?.aborted) throw aborted()
  const started = performance.now()
  // As the reader is let in to it: by its own name, wherever links lead.
  const path = await realpath(file).catch(() => file)
  const left = (): number => Math.max(0, timeoutMs - (performance.now() - started))
  // Drawing is the lesser half of the work: a model that is hard to draw should not take the whole time for it.
  const drawingMs = timeoutMs / 2
  const collector = new Collector()
  let drawFrom: number | null = null
  for (let run = 0; run < MAX_PROCESSES; run++) {
    const task = { path, memoryMb, drawFrom }
    const times = { timeoutMs: left(), drawingMs, roomMs: ROOM_MS, signal }
    const ending = await runWorker(task, times, (report) => collector.hear(report))
    if (ending === 'aborted') throw aborted()
    if (collector.refusal !== null) throw new IfcError(collector.refusal)
    if (!collector.complete) throw new IfcError(sentenceFor(ending, memoryMb, timeoutMs))
    if (ending !== 'crashed' || left() === 0) break
    // The room after the last one that arrived is the one that did it.
    collector.drawn++
    drawFrom = collector.drawn
  }
  return collector.model
}

class Collector {
  readonly model: IfcModel = {
    schema: '',
    project: null,
    site: null,
    building: null,
    storeys: [],
    spaces: [],
    elements: [],
    leftOut: [],
  }
  refusal: string | null = null
  complete = false
  drawn = 0
  readonly #spaces = new Map<string, IfcSpace>()

  hear(report: Report): void {
    if (report.kind === 'refused') this.refusal = report.sentence
    else if (report.kind === 'head') Object.assign(this.model, report.head)
    else if (report.kind === 'storeys') this.model.storeys.push(...report.items)
    else if (report.kind === 'elements') this.model.elements.push(...report.items)
    else if (report.kind === 'leftOut') this.model.leftOut.push(...report.items)
    else if (report.kind === 'structure-complete') this.complete = true
    else if (report.kind === 'room') this.#draw(report.room)
    else if (report.kind === 'spaces') {
      this.model.spaces.push(...report.items)
      for (const space of report.items) this.#spaces.set(space.globalId, space)
    }
  }

  #draw({ globalId, outline }: DrawnRoom): void {
    this.drawn++
    const space = this.#spaces.get(globalId)
    if (space === undefined || outline === null) return
    space.polygon = outline.polygon
    space.areaSqm ??= Math.round(outline.floorAreaSqm * 1e4) / 1e4
  }
}

function aborted(): IfcError {
  return new IfcError('Reading the model was stopped')
}

function sentenceFor(ending: Ending, memoryMb: number, timeoutMs: number): string {
  if (ending === 'out-of-memory') return `The model needs more than ${memoryMb} MB of memory`
  if (ending === 'out-of-time') return `Reading the model took longer than ${duration(timeoutMs)}`
  return 'The file could not be read as an IFC model'
}

function duration(ms: number): string {
  if (ms < 1000) return `${ms} milliseconds`
  const [count, unit] = ms >= 60_000 ? [ms / 60_000, 'minute'] : [ms / 1000, 'second']
  const shown = Math.round(count * 10) / 10
  return `${shown} ${unit}${shown === 1 ? '' : 's'}`
}
