import type { Attributes } from '../tracing.ts'

/** A span that has ended, as the protocol of OpenTelemetry (OTLP) describes it. */
export interface EndedSpan {
  traceId: string
  spanId: string
  /** The vendor state of the trace, as in the header `tracestate`. */
  traceState: string | undefined
  parentSpanId: string | undefined
  /** Whether the parent is a span of another process. */
  isParentRemote: boolean
  name: string
  kind: SpanKind
  /** Both times are those of the wall clock. */
  startedAtMs: number
  endedAtMs: number
  attributes: Attributes
  hasFailed: boolean
}

/** What all spans of a process have in common. */
export interface SpanOrigin {
  resource: Attributes
  scope: { name: string; version: string }
}

/** Spans that are sent together. Each is encoded when it is added; the batch keeps only the encoded form. */
export interface SpanBatch {
  readonly count: number
  add(span: EndedSpan): void
  /** The body of the request. Nothing is added after this. */
  encode(): Uint8Array
}

export const SPAN_KINDS = { internal: 1, server: 2, client: 3, consumer: 5 } as const
export type SpanKind = (typeof SPAN_KINDS)[keyof typeof SPAN_KINDS]

export const STATUS_ERROR = 2

const SAMPLED = 0x1
const KNOWS_WHETHER_PARENT_IS_REMOTE = 0x100
const PARENT_IS_REMOTE = 0x200

/** The flag SAMPLED is always set, because only sampled spans are sent. */
export const flagsOf = ({ isParentRemote }: EndedSpan): number =>
  SAMPLED | KNOWS_WHETHER_PARENT_IS_REMOTE | (isParentRemote ? PARENT_IS_REMOTE : 0)
