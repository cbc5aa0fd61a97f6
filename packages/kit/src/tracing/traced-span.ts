import { type EndedSpan, SPAN_KINDS, type SpanKind } from './otlp/index.ts'
import type { SpanContext } from './span-context.ts'
import type { Attributes, Span, SpanStart } from './tracing.ts'
import { clockOffsetMs } from './wall-clock.ts'

/** `startChild` starts fewer children of a span than this. More children would explain nothing. */
const MAX_CHILDREN = 256

/** A span that is encoded when it ends. */
export class TracedSpan implements Span, EndedSpan {
  readonly context: SpanContext
  readonly parentSpanId: string | undefined
  readonly isParentRemote: boolean
  readonly kind: SpanKind
  readonly startedAtMs: number
  endedAtMs = 0
  name: string
  attributes: Record<string, Attributes[string]>
  hasFailed = false
  readonly #onEnd: (span: EndedSpan) => void
  readonly #offsetMs = clockOffsetMs()
  #isRecording: boolean
  #children = 0

  constructor(
    onEnd: (span: EndedSpan) => void,
    { name, kind, attributes, startedAtMs = performance.now() }: SpanStart,
    context: SpanContext,
    parent: SpanContext | undefined,
  ) {
    this.context = context
    this.parentSpanId = parent?.spanId
    this.isParentRemote = parent?.isRemote ?? false
    this.kind = SPAN_KINDS[kind ?? 'internal']
    this.startedAtMs = startedAtMs + this.#offsetMs
    this.name = name
    this.attributes = context.isSampled ? { ...attributes } : {}
    this.#onEnd = onEnd
    this.#isRecording = context.isSampled
  }

  get traceId(): string {
    return this.context.traceId
  }

  get spanId(): string {
    return this.context.spanId
  }

  get traceState(): string | undefined {
    return this.context.traceState
  }

  isRecording(): boolean {
    return this.#isRecording
  }

  takeChild(): boolean {
    if (++this.#children === MAX_CHILDREN) this.set({ 'storey.spans.truncated': true })
    return this.#children < MAX_CHILDREN
  }

  set(attributes: Attributes): void {
    if (this.#isRecording) Object.assign(this.attributes, attributes)
  }

  rename(name: string): void {
    if (this.#isRecording) this.name = name
  }

  fail(errorType: string): void {
    if (!this.#isRecording) return
    this.attributes['error.type'] = errorType
    this.hasFailed = true
  }

  end(endedAtMs = performance.now()): void {
    if (!this.#isRecording) return
    this.#isRecording = false
    this.endedAtMs = endedAtMs + this.#offsetMs
    this.#onEnd(this)
  }

  headers(): Record<string, string> {
    const { traceId, spanId, traceState, isSampled } = this.context
    const headers: Record<string, string> = { traceparent: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}` }
    if (traceState !== undefined) headers.tracestate = traceState
    return headers
  }
}
