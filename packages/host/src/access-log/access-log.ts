import { printableJson } from '@storey/contract/printable'
import { type HttpObserver, loggedPath, type ObservedRequest } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import { StartupError } from '@storey/kit/startup-error'
import { createLineWriter, type LineTarget, type LineWriter } from './line-writer.ts'

const MAX_PATH = 1_024

export interface AccessLog extends HttpObserver {
  end(observed: ObservedRequest): void
  dropped(): number
  close(): Promise<void>
}

/** Opens the access log, or throws a StartupError that names the setting. */
export function openAccessLog(target: LineTarget, log: Log): AccessLog {
  const writer = open(target, log)
  return {
    end: (observed) => writer.write(accessLine(observed, new Date())),
    dropped: writer.dropped,
    close: writer.close,
  }
}

function open(target: LineTarget, log: Log): LineWriter {
  try {
    return createLineWriter(target, log)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const reason = code === 'ENXIO' ? 'it is a pipe that nobody reads' : message
    throw new StartupError(`ACCESS_LOG: the file cannot be written: ${reason}`, { cause })
  }
}

/** One request as a line of JSON. The line has no query, whose values may be secrets, and no headers. */
export function accessLine(observed: ObservedRequest, time: Date): string {
  const { request, requestId, part, route, status, durationMs, bytes, clientAddress, sandboxId, caller } = observed
  const line = {
    time: time.toISOString(),
    method: request.method,
    path: loggedPath(observed, MAX_PATH),
    route,
    part,
    status,
    durationMs: Math.round(durationMs * 100) / 100,
    bytes,
    client: clientAddress,
    requestId,
    trace_id: observed.span?.traceId,
    sandboxId,
    callerKind: caller?.kind,
    callerId: caller?.id,
    aborted: observed.isAborted || undefined,
  }
  return `${printableJson(line)}\n`
}
