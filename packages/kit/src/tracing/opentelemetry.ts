// Only this file and what it imports use OpenTelemetry. They are loaded when traces are turned on.

import { randomUUID } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import { VERSION } from '@storey/contract'
import { createSampler, decideOurselves } from './sampler.ts'
import type { TracingOptions, TracingSettings } from './settings.ts'
import type { Attributes, RemoteParent, Span, SpanStart, Tracer } from './tracing.ts'
import { watchExports } from './watch-exports.ts'

/** A trace with more statements than this explains no more than one that shows the first of them. */
const MAX_CHILDREN = 256
/** Bounds the memory of waiting spans. Our own attributes are shorter, except for paths that clients invent. */
const MAX_VALUE_LENGTH = 512

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
}
const propagator = new W3CTraceContextPropagator()

export function createTracer(settings: TracingSettings, options: TracingOptions) {
  const { exporter, isFailing } = watchExports(createExporter(settings), options)
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: settings.maxWaiting,
    maxExportBatchSize: settings.maxBatch,
    scheduledDelayMillis: settings.delayMs,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.instance.id': randomUUID(),
      'service.version': VERSION,
      ...settings.resource,
      ...options.resource,
    }),
    sampler: createSampler(settings.sampler),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_LENGTH },
    spanProcessors: [processor],
  })
  const tracer = provider.getTracer('storey', VERSION)
  return {
    tracer: {
      start: (start, parent) => begin(tracer, start, parent === undefined ? ROOT_CONTEXT : contextOf(parent)),
      startRemote: (start, parent) => begin(tracer, start, remoteContext(parent, settings)),
    } satisfies Tracer,
    /** Sends what waits, unless the collector is known not to respond. */
    shutDown: async () => {
      if (!isFailing()) await provider.shutdown()
    },
  }
}

function createExporter({ url, headers, timeoutMs, compression, protocol }: TracingSettings): SpanExporter {
  const Exporter = protocol === 'http/json' ? JsonExporter : ProtobufExporter
  return new Exporter({
    url,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    compression: compression as never,
    // Unlike an agent of the exporter's own, these use the proxy of the environment.
    httpAgentOptions: (target) => (target === 'https:' ? https.globalAgent : http.globalAgent),
  })
}

function begin(tracer: OtelTracer, start: SpanStart, context: Context): Span {
  const { name, kind = 'internal', attributes, startedAtMs: startTime } = start
  const options = { kind: KINDS[kind], attributes, startTime } as SpanOptions
  return new TracedSpan(tracer.startSpan(name, options, context))
}

function remoteContext(parent: RemoteParent, { sampler }: TracingSettings): Context {
  const { traceparent, tracestate, sender } = parent
  const context = propagator.extract(ROOT_CONTEXT, { traceparent, tracestate }, defaultTextMapGetter)
  const decides = sender === 'gateway' || (sender === 'proxy' && sampler.isParentBased)
  return decides ? context : decideOurselves(context)
}

const contextOf = (span: Span): Context => (span as TracedSpan).context

class TracedSpan implements Span {
  readonly traceId: string
  readonly spanId: string
  readonly #span: OtelSpan
  #context: Context | undefined
  #children = 0

  constructor(span: OtelSpan) {
    const { traceId, spanId } = span.spanContext()
    this.traceId = traceId
    this.spanId = spanId
    this.#span = span
  }

  get context(): Context {
    this.#context ??= trace.setSpan(ROOT_CONTEXT, this.#span)
    return this.#context
  }

  isRecording(): boolean {
    return this.#span.isRecording()
  }

  takeChild(): boolean {
    if (++this.#children === MAX_CHILDREN) this.set({ 'storey.spans.truncated': true })
    return this.#children < MAX_CHILDREN
  }

  set(attributes: Attributes): void {
    if (this.#span.isRecording()) this.#span.setAttributes(attributes)
  }

  rename(name: string): void {
    if (this.#span.isRecording()) this.#span.updateName(name)
  }

  fail(errorType: string): void {
    if (!this.#span.isRecording()) return
    this.#span.setAttribute('error.type', errorType)
    this.#span.setStatus({ code: SpanStatusCode.ERROR })
  }

  end(endedAtMs?: number): void {
    if (this.#span.isRecording()) this.#span.end(endedAtMs)
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {}
    propagator.inject(this.context, headers, defaultTextMapSetter)
    return headers
  }
}
