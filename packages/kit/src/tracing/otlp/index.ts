import { createJsonBatch } from './json-batch.ts'
import { createProtobufBatches } from './protobuf-batch.ts'
import type { SpanBatch, SpanOrigin } from './span-batch.ts'

export { type EndedSpan, SPAN_KINDS, type SpanBatch, type SpanKind, type SpanOrigin } from './span-batch.ts'

/** Creates batches in one of the encodings of OTLP. */
export const createBatches = (protocol: 'http/protobuf' | 'http/json', origin: SpanOrigin): (() => SpanBatch) =>
  protocol === 'http/json' ? () => createJsonBatch(origin) : createProtobufBatches(origin)
