import { createLoop } from '@storey/kit/background'
import { elapsedMs } from '@storey/kit/clock'
import { type Database, isUnavailable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { recordUses } from './stack-uses.store.ts'

export interface UseRecorderOptions {
  control: Database
  planeId: string
  log: Log
  /** Called every `everyMs`, after the uses were written, even if there were none. */
  afterWrite(): Promise<void>
  everyMs?: number
}

interface Used {
  /** For each use in progress, a function that returns whether a caller uses the stack. */
  open: Set<() => boolean>
  usedAt: number
  calledAt: number | null
  isRecorded: boolean
}

const EVERY_MS = 5_000

/** Records every few seconds which stacks this control plane uses, for the control plane that leads. */
export function createUseRecorder({ control, planeId, log, afterWrite, everyMs = EVERY_MS }: UseRecorderOptions) {
  const uses = new Map<string, Used>()
  const loop = createLoop({ name: 'stack-uses', log, run, everyMs, isExpected: isUnavailable })

  async function run(): Promise<void> {
    await write([...uses.keys()])
    await afterWrite()
  }

  async function write(ids: readonly string[]): Promise<void> {
    const now = elapsedMs()
    const written = ids.flatMap((sandboxId) => {
      const used = uses.get(sandboxId)
      if (!used || (used.open.size === 0 && used.isRecorded)) return []
      if (used.open.size > 0) used.usedAt = now
      if ([...used.open].some((isCalled) => isCalled())) used.calledAt = now
      used.isRecorded = true
      return [{ sandboxId, used }]
    })
    if (written.length === 0) return
    const ago = (at: number) => Math.max(0, now - at)
    try {
      await recordUses(
        control,
        planeId,
        written.map(({ sandboxId, used: { usedAt, calledAt } }) => ({
          sandboxId,
          usedAgoMs: ago(usedAt),
          calledAgoMs: calledAt === null ? null : ago(calledAt),
        })),
      )
    } catch (err) {
      for (const { used } of written) used.isRecorded = false
      throw err
    }
    for (const { sandboxId, used } of written) if (used.open.size === 0 && used.isRecorded) uses.delete(sandboxId)
  }

  return {
    start: () => loop.start(everyMs),
    /** Counts a use until the returned function is called. `isCalled`: whether a caller uses the stack. */
    begin(sandboxId: string, isCalled: () => boolean): () => void {
      const used = uses.get(sandboxId) ?? newUse()
      uses.set(sandboxId, used)
      used.open.add(isCalled)
      used.isRecorded = false
      return () => {
        if (!used.open.delete(isCalled)) return
        used.usedAt = elapsedMs()
        if (isCalled()) used.calledAt = used.usedAt
        used.isRecorded = false
        uses.set(sandboxId, used)
      }
    },
    /** Writes the uses of one stack now. */
    flush: (sandboxId: string) => write([sandboxId]),
    async close(): Promise<void> {
      await loop.stop()
      await write([...uses.keys()]).catch(() => undefined)
    },
  }
}

const newUse = (): Used => ({ open: new Set(), usedAt: elapsedMs(), calledAt: null, isRecorded: false })

export type UseRecorder = ReturnType<typeof createUseRecorder>
