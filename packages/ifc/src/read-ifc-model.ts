import { realpath } from 'node:fs/promises'
import { IfcError } from './ifc-error.ts'
import type { IfcModel, IfcSpace } from './model.ts'
import type { DrawnRoom } from './outline/draw-room.ts'
import type { Report } from './process/messages.ts'
import { type Ended, runWorker } from './process/run-worker.ts'

export interface ReadingLimits {
  memoryMb?: number
  timeoutMs?: number
  signal?: AbortSignal
  /** Called when the system or another program has ended a reading process. The file may still be readable. */
  onKilled?(): void
}

/** A room that crashes the process is skipped, and a new process continues. At most this many processes are started. */
const MAX_PROCESSES = 5
const ROOM_MS = 30_000
/** A process that was killed is started again, up to this many times. */
const MAX_KILLED = 2

/**
 * Reads a file in a separate process. The structure is read before the outlines are computed. So if the process crashes
 * or reaches its time limit while it computes outlines, only outlines are lost. Rejects with an IfcError if the model
 * cannot be read, and with another error if the process fails unexpectedly.
 */
export async function readIfcModel(file: string, limits: ReadingLimits = {}): Promise<IfcModel> {
  const { memoryMb = 1024, timeoutMs = 5 * 60_000, signal } = limits
  if (signal?.aborted) throw aborted()
  const started = performance.now()
  // Node's permission to read a file applies to its real path, without symbolic links.
  const path = await realpath(file).catch(() => file)
  const remainingMs = (): number => Math.max(0, timeoutMs - (performance.now() - started))
  // In the process that reports the structure, outlines take at most half of the time: they are less important.
  const drawingMs = timeoutMs / 2
  let collector = new Collector()
  let killed = 0
  let drawFrom: number | null = null
  for (let run = 0; run < MAX_PROCESSES; run++) {
    const task = { path, memoryMb, drawFrom }
    const times = { timeoutMs: remainingMs(), drawingMs, roomMs: ROOM_MS, signal }
    const ended = await runWorker(task, times, (report) => collector.add(report))
    const { outcome } = ended
    if (outcome === 'aborted') throw aborted()
    if (outcome === 'killed') limits.onKilled?.()
    if (collector.refusal !== null) throw new IfcError(collector.refusal)
    if (outcome === 'killed' && ++killed <= MAX_KILLED) {
      if (!collector.complete) collector = new Collector()
      drawFrom = collector.complete ? collector.drawn : null
      continue
    }
    if (!collector.complete) throw errorFor(ended, memoryMb, timeoutMs)
    if (outcome !== 'crashed' || remainingMs() === 0) break
    // The room after the last reported one is assumed to have caused the crash.
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

  add(report: Report): void {
    if (report.kind === 'refused') this.refusal = report.message
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

function errorFor(ended: Ended, memoryMb: number, timeoutMs: number): Error {
  if (ended.outcome === 'crashed') return ended.error
  if (ended.outcome === 'out-of-memory') return new IfcError(`The model needs more than ${memoryMb} MB of memory`)
  if (ended.outcome === 'out-of-time') return new IfcError(`Reading the model took longer than ${duration(timeoutMs)}`)
  if (ended.outcome === 'killed')
    return new IfcError('The process that reads the model was ended, perhaps because memory is short: try later')
  return new Error('the reader of a building model ended before it had reported the structure')
}

function duration(ms: number): string {
  if (ms < 1000) return `${ms} milliseconds`
  const [count, unit] = ms >= 60_000 ? [ms / 60_000, 'minute'] : [ms / 1000, 'second']
  const shown = Math.round(count * 10) / 10
  return `${shown} ${unit}${shown === 1 ? '' : 's'}`
}
