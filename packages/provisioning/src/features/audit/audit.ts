import type { Clock } from '@storey/kit/clock'
import type { ClockCheck } from '@storey/kit/clock-check'
import type { Database } from '@storey/kit/database'
import type { HttpApp } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import type { KeySeen, RecordChange, Request } from '../../key-events.ts'
import { auditRoutes } from './audit.routes.ts'
import { insertEvents } from './audit.store.ts'
import { startRetention } from './retention.ts'
import { createUseBuffer, type UseBufferOptions } from './use-buffer.ts'
import { noteKeyUse, watchKeyUses } from './watch-uses.ts'

export interface AuditOptions {
  control: Database
  clock: Clock
  clockCheck: ClockCheck
  log: Log
  isLeader?(): boolean
  markUsed: UseBufferOptions['markUsed']
}

export const recordChange: RecordChange = (tx, event) => insertEvents(tx, [event])

/** The audit log of keys. Close it after the last request. */
export function createAudit({ control, clock, clockCheck, log, markUsed, isLeader = () => true }: AuditOptions) {
  const uses = createUseBuffer({ control, clock, log, markUsed })
  const retention = startRetention({ control, clockCheck, log, isLeader })
  return {
    note: (request: Request, seen: KeySeen) => noteKeyUse(uses, request, seen),
    serve(app: HttpApp): void {
      watchKeyUses(app)
      auditRoutes(app, { control })
    },
    async close(): Promise<void> {
      await Promise.all([uses.close(), retention.stop()])
    },
  }
}
