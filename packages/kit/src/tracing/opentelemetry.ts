// Only this file and what it imports use OpenTelemetry. They are loaded when traces are turned on.

import { randomUUID } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { defaultTextMapGetter, ROOT_CONTEXT, type SpanContext, TraceFlags, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, RandomIdGenerator, type SpanExporter } from '@opentelemetry/sdk-trace'
import { VERSION } from '@storey/contract'
import { createDecisions } from './sampler.ts'
import type { TracingOptions, TracingSettings } from './settings.ts'
import { type SpanOrigin, TracedSpan } from './traced-span.ts'
import type { RemoteParent, SpanStart, Tracer } from './tracing.ts'
import { watchExports } from './watch-exports.ts'

const propagator = new W3CTraceContextPropagator()
const ids = new RandomIdGenerator()

export function createTracer(settings: TracingSettings, options: TracingOptions) {
  const { exporter, isFailing } = watchExports(createExporter(settings), options)
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: settings.maxWaiting,
    maxExportBatchSize: settings.maxBatch,
    scheduledDelayMillis: settings.delayMs,
  })
  const origin: SpanOrigin = {
    processor,
    instrumentationScope: { name: 'storey', version: VERSION },
    resource: resourceFromAttributes({
      'service.instance.id': randomUUID(),
      'service.version': VERSION,
      ...settings.resource,
      ...options.resource,
    }),
  }
  const { isNewSampled, isRemoteSampled } = createDecisions(settings.sampler)

  function startNew(start: SpanStart): TracedSpan {
    const traceId = ids.generateTraceId()
    return new TracedSpan(origin, start, contextIn(traceId, isNewSampled(traceId)), undefined)
  }

  return {
    tracer: {
      start(start, parent) {
        if (parent === undefined) return startNew(start)
        const context = (parent as TracedSpan).spanContext()
        const { traceId, traceFlags, traceState } = context
        const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0
        return new TracedSpan(origin, start, contextIn(traceId, isSampled, traceState), context)
      },
      startRemote(start, remote) {
        const parent = contextOf(remote)
        if (parent === undefined) return startNew(start)
        const isSampled = isRemoteSampled(parent, remote.sender)
        return new TracedSpan(origin, start, contextIn(parent.traceId, isSampled, parent.traceState), parent)
      },
    } satisfies Tracer,
    /** Sends what waits, unless the collector is known not to respond. */
    shutDown: async () => {
      if (!isFailing()) await processor.shutdown()
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

/** The context of a new span in a trace. */
function contextIn(traceId: string, isSampled: boolean, traceState?: SpanContext['traceState']): SpanContext {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return { traceId, spanId: ids.generateSpanId(), traceFlags, ...(traceState === undefined ? {} : { traceState }) }
}

/** The context that a sender named; undefined if it is invalid. */
const contextOf = ({ traceparent, tracestate }: RemoteParent): SpanContext | undefined =>
  trace.getSpanContext(propagator.extract(ROOT_CONTEXT, { traceparent, tracestate }, defaultTextMapGetter))
