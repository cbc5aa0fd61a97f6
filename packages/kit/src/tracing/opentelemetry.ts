// A process imports this file only if traces are turned on. Only modules that this file imports may import the
// OpenTelemetry packages, so that a process without traces does not load them.

import { randomUUID } from 'node:crypto'
import { VERSION } from '@storey/contract'
import { createExporter } from './exporter.ts'
import { createBatches } from './otlp/index.ts'
import { createDecisions } from './sampler.ts'
import type { TracingOptions, TracingSettings } from './settings.ts'
import { contextIn, contextOf, newTraceId } from './span-context.ts'
import { createSpanQueue } from './span-queue.ts'
import { TracedSpan } from './traced-span.ts'
import type { SpanStart, Tracer } from './tracing.ts'
import { watchExports } from './watch-exports.ts'

export function createTracer(settings: TracingSettings, options: TracingOptions) {
  const exports = watchExports(createExporter(settings), options)
  const createBatch = createBatches(settings.protocol, {
    scope: { name: 'storey', version: VERSION },
    resource: {
      'service.instance.id': randomUUID(),
      'service.version': VERSION,
      ...settings.resource,
      ...options.resource,
    },
  })
  const queue = createSpanQueue({ ...settings, createBatch, send: exports.send, onDropped: exports.noteDropped })
  const { isNewSampled, isRemoteSampled } = createDecisions(settings.sampler)

  function startNew(start: SpanStart): TracedSpan {
    const traceId = newTraceId()
    return new TracedSpan(queue.add, start, contextIn(traceId, isNewSampled(traceId)), undefined)
  }

  return {
    tracer: {
      start(start, parent) {
        if (parent === undefined) return startNew(start)
        const { context } = parent as TracedSpan
        const { traceId, isSampled, traceState } = context
        return new TracedSpan(queue.add, start, contextIn(traceId, isSampled, traceState), context)
      },
      startRemote(start, remote) {
        const parent = contextOf(remote)
        if (parent === undefined) return startNew(start)
        const isSampled = isRemoteSampled(parent, remote.sender)
        return new TracedSpan(queue.add, start, contextIn(parent.traceId, isSampled, parent.traceState), parent)
      },
    } satisfies Tracer,
    /** Sends the waiting spans, unless the last export failed. */
    shutDown: async () => {
      if (!exports.isFailing()) await queue.flush()
    },
  }
}
