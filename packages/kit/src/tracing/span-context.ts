import { TraceFlags } from '@opentelemetry/api'
import { parseTraceParent, TraceState } from '@opentelemetry/core'
import { RandomIdGenerator } from '@opentelemetry/sdk-trace'
import type { RemoteParent } from './tracing.ts'

/** What identifies a span, in this process and in others. */
export interface SpanContext {
  traceId: string
  spanId: string
  isSampled: boolean
  isRemote: boolean
  /** The vendor state of the trace, as in the header `tracestate`. */
  traceState: string | undefined
}

const ids = new RandomIdGenerator()

export const newTraceId = (): string => ids.generateTraceId()

/** The context of a new span in a trace. */
export function contextIn(traceId: string, isSampled: boolean, traceState?: string): SpanContext {
  return { traceId, spanId: ids.generateSpanId(), isSampled, isRemote: false, traceState }
}

/** The context that a sender sent; undefined if its `traceparent` is invalid. */
export function contextOf({ traceparent, tracestate }: RemoteParent): SpanContext | undefined {
  const parsed = parseTraceParent(traceparent)
  if (parsed === null) return undefined
  const { traceId, spanId, traceFlags } = parsed
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0
  return { traceId, spanId, isSampled, isRemote: true, traceState: vendorState(tracestate) }
}

/** The header `tracestate` without its invalid entries. */
const vendorState = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : new TraceState(header).serialize() || undefined
