import {
  type HrTime,
  type Link,
  type SpanAttributes,
  type SpanContext,
  SpanKind,
  type SpanStatus,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api'
import type { ReadableSpan, SpanProcessor, TimedEvent } from '@opentelemetry/sdk-trace'
import type { Attributes, Span, SpanStart } from './tracing.ts'
import { clockOffsetMs } from './wall-clock.ts'

/** A trace with more statements than this explains no more than one that shows the first of them. */
const MAX_CHILDREN = 256

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
}
const UNSET: SpanStatus = { code: SpanStatusCode.UNSET }
const FAILED: SpanStatus = { code: SpanStatusCode.ERROR }
const NO_EVENTS: TimedEvent[] = []
const NO_LINKS: Link[] = []

/** What all spans of a process have. */
export interface SpanOrigin extends Pick<ReadableSpan, 'resource' | 'instrumentationScope'> {
  processor: Pick<SpanProcessor, 'onEnd'>
}

/**
 * A span in the form that the processor and the exporters of the SDK read. The SDK's own span takes ten times as long to
 * create, for what is not used here: events, links, limits of attributes, and metrics of its own.
 */
export class TracedSpan implements Span, ReadableSpan {
  readonly #origin: SpanOrigin
  readonly #context: SpanContext
  readonly #startedAtMs: number
  readonly #offsetMs = clockOffsetMs()
  #endedAtMs: number | undefined
  #children = 0
  readonly kind: SpanKind
  readonly parentSpanContext?: SpanContext
  readonly attributes: SpanAttributes
  readonly events = NO_EVENTS
  readonly links = NO_LINKS
  readonly droppedAttributesCount = 0
  readonly droppedEventsCount = 0
  readonly droppedLinksCount = 0
  name: string
  status = UNSET

  constructor(origin: SpanOrigin, start: SpanStart, context: SpanContext, parent: SpanContext | undefined) {
    this.#origin = origin
    this.#context = context
    this.#startedAtMs = start.startedAtMs ?? performance.now()
    this.kind = KINDS[start.kind ?? 'internal']
    this.name = start.name
    this.attributes = this.isSampled ? { ...start.attributes } : {}
    if (parent !== undefined) this.parentSpanContext = parent
  }

  get resource() {
    return this.#origin.resource
  }

  get instrumentationScope() {
    return this.#origin.instrumentationScope
  }

  get traceId(): string {
    return this.#context.traceId
  }

  get spanId(): string {
    return this.#context.spanId
  }

  get isSampled(): boolean {
    return (this.#context.traceFlags & TraceFlags.SAMPLED) !== 0
  }

  get ended(): boolean {
    return this.#endedAtMs !== undefined
  }

  get startTime(): HrTime {
    return hrTime(this.#startedAtMs + this.#offsetMs)
  }

  get endTime(): HrTime {
    return hrTime((this.#endedAtMs ?? this.#startedAtMs) + this.#offsetMs)
  }

  get duration(): HrTime {
    return hrTime((this.#endedAtMs ?? this.#startedAtMs) - this.#startedAtMs)
  }

  spanContext(): SpanContext {
    return this.#context
  }

  isRecording(): boolean {
    return this.isSampled && !this.ended
  }

  takeChild(): boolean {
    if (++this.#children === MAX_CHILDREN) this.set({ 'storey.spans.truncated': true })
    return this.#children < MAX_CHILDREN
  }

  set(attributes: Attributes): void {
    if (this.isRecording()) Object.assign(this.attributes, attributes)
  }

  rename(name: string): void {
    if (this.isRecording()) this.name = name
  }

  fail(errorType: string): void {
    if (!this.isRecording()) return
    this.attributes['error.type'] = errorType
    this.status = FAILED
  }

  end(endedAtMs = performance.now()): void {
    if (!this.isRecording()) return
    this.#endedAtMs = endedAtMs
    this.#origin.processor.onEnd(this)
  }

  headers(): Record<string, string> {
    const { traceId, spanId, traceState } = this.#context
    const headers: Record<string, string> = { traceparent: `00-${traceId}-${spanId}-${this.isSampled ? '01' : '00'}` }
    if (traceState !== undefined) headers.tracestate = traceState.serialize()
    return headers
  }
}

/** Seconds and nanoseconds. */
function hrTime(ms: number): HrTime {
  const seconds = Math.trunc(ms / 1_000)
  return [seconds, Math.trunc((ms - seconds * 1_000) * 1e6)]
}
