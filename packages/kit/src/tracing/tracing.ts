import { AsyncLocalStorage } from 'node:async_hooks'

export type Attributes = Readonly<Record<string, string | number | boolean>>

export interface SpanStart {
  name: string
  /** Absent: the span is internal. */
  kind?: 'server' | 'client' | 'consumer'
  attributes?: Attributes
  /** A time of `performance.now()`. Absent: the span starts now. */
  startedAtMs?: number
}

/** The trace context that a request carries in its headers. */
export interface RemoteParent {
  traceparent: string
  tracestate?: string | undefined
  /**
   * Who sent the context. The gateway decides whether the trace is sampled, and so does a trusted proxy if the sampler
   * follows parents. Otherwise this process decides.
   */
  sender: 'gateway' | 'proxy' | 'client'
}

export interface Span {
  readonly traceId: string
  readonly spanId: string
  /** False if the trace is not sampled, or if the span has ended. */
  isRecording(): boolean
  /** Counts a child; false if the span already has the maximum number of children. */
  takeChild(): boolean
  set(attributes: Attributes): void
  rename(name: string): void
  /** Marks the operation as failed. `errorType` is a code or class of errors, not a message, which may contain data. */
  fail(errorType: string): void
  /** `endedAtMs` is a time of `performance.now()`. Absent: the span ends now. */
  end(endedAtMs?: number): void
  /** The headers that make a span of the receiver a child of this one. */
  headers(): Record<string, string>
}

export interface Tracer {
  start(start: SpanStart, parent: Span | undefined): Span
  startRemote(start: SpanStart, parent: RemoteParent): Span
}

/** Shorter waits explain nothing, and most statements have such a wait, so these waits get no span. */
const MIN_WAIT_MS = 5

/** Undefined while traces are off. */
let tracer: Tracer | undefined
const active = new AsyncLocalStorage<Span | undefined>()

export function setTracer(next: Tracer | undefined): void {
  tracer = next
}

export const isTracing = (): boolean => tracer !== undefined

export const activeSpan = (): Span | undefined => (tracer === undefined ? undefined : active.getStore())

/** Runs `work` as a part of `span`, or of no trace if `span` is undefined. */
export const runInSpan = <T>(span: Span | undefined, work: () => T): T =>
  tracer === undefined ? work() : active.run(span, work)

/** Runs `work`, such as background work that a request wakes, without an active span. */
export function runDetached<T>(work: () => T): T {
  return activeSpan() === undefined ? work() : active.run(undefined, work)
}

/** Starts a child of the active span, or the first span of a new trace. Undefined while traces are off. */
export const startSpan = (start: SpanStart): Span | undefined => tracer?.start(start, active.getStore())

/** Starts the span of a request, as a child of the sender's span if there is one. Undefined while traces are off. */
export function startServerSpan(start: SpanStart, parent: RemoteParent | undefined): Span | undefined {
  return parent === undefined ? tracer?.start(start, undefined) : tracer?.startRemote(start, parent)
}

/**
 * Starts a child of the active span. Undefined if there is no active span, or if that span is not sampled, has ended
 * or has the maximum number of children.
 */
export function startChild(start: SpanStart): Span | undefined {
  const parent = activeSpan()
  return parent?.isRecording() && parent.takeChild() ? tracer!.start(start, parent) : undefined
}

/** Runs `work` in a span of its own. If `work` throws, the span is marked as failed. */
export async function inSpan<T>(start: SpanStart, work: (span: Span | undefined) => Promise<T>): Promise<T> {
  const span = startSpan(start)
  if (span === undefined) return work(undefined)
  try {
    return await active.run(span, () => work(span))
  } catch (err) {
    span.fail(errorType(err))
    throw err
  } finally {
    span.end()
  }
}

/** Adds a span for a wait that has just ended, unless it was short. */
export function recordWait(name: string, startedAtMs: number): void {
  if (tracer === undefined) return
  const now = performance.now()
  if (now - startedAtMs >= MIN_WAIT_MS) startChild({ name, startedAtMs })?.end(now)
}

/** The headers for a request that continues the active trace. */
export const traceHeaders = (): Record<string, string> => activeSpan()?.headers() ?? {}

/** The ids of the active trace and span, as fields of a log line. */
export function traceFields(): Record<string, string> {
  const span = activeSpan()
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId }
}

/** The code of an error (such as `ECONNREFUSED` or a SQLSTATE), or its class. */
export function errorType(err: unknown): string {
  const { code, name } = (err ?? {}) as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : '_OTHER'
}
