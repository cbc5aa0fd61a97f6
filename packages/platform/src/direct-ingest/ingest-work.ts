import type { Admission, Admitted } from '@storey/kit/admission'
import { tookTooLong, WORK_LIMIT_MS } from '@storey/kit/http'
import type { FoldingCapacity, Ingest } from '../features/telemetry/index.ts'
import { bodyMemory } from '../http/index.ts'

export interface IngestWorkParts {
  foldingCapacity: FoldingCapacity
  admission: Admission
  ingest: Ingest
  workLimitMs?: number | undefined
}

export type Worked =
  | { kind: 'stored'; accepted: number }
  /** `isOverdue`: the work exceeded its time limit and continues, so the body is still in use. */
  | { kind: 'failed'; error: unknown; isOverdue: boolean }

/** The work for an HTTP request or MQTT message: it waits for folding and memory, and ingests within a time limit. */
export function createIngestWork({ foldingCapacity, admission, ingest, workLimitMs = WORK_LIMIT_MS }: IngestWorkParts) {
  return {
    /** Waits until a body of this length may be processed. */
    async enter(length: number, caller: string, signal: AbortSignal): Promise<Admitted> {
      if (!foldingCapacity.isFree()) await foldingCapacity.wait(signal)
      const bytes = bodyMemory('bytes', length)
      return admission.enterNow(bytes, caller) ?? (await admission.enter(bytes, { caller, signal }))
    },
    async run(...args: Parameters<Ingest>): Promise<Worked> {
      let isOverdue = false
      const overdue = Promise.withResolvers<never>()
      const timer = setTimeout(() => {
        isOverdue = true
        overdue.reject(tookTooLong())
      }, workLimitMs)
      try {
        return { kind: 'stored', accepted: await Promise.race([ingest(...args), overdue.promise]) }
      } catch (error) {
        return { kind: 'failed', error, isOverdue }
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
