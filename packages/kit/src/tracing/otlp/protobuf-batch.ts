import type { Attributes } from '../tracing.ts'
import { ProtobufWriter } from './protobuf-writer.ts'
import { type EndedSpan, flagsOf, type SpanBatch, type SpanOrigin, STATUS_ERROR } from './span-batch.ts'

// The numbers of fields in opentelemetry/proto/collector/trace/v1/trace_service.proto and the files that it imports.
const REQUEST = { resourceSpans: 1 }
const RESOURCE_SPANS = { resource: 1, scopeSpans: 2 }
const RESOURCE = { attributes: 1 }
const SCOPE_SPANS = { scope: 1, spans: 2 }
const SCOPE = { name: 1, version: 2 }
const SPAN = {
  traceId: 1,
  spanId: 2,
  traceState: 3,
  parentSpanId: 4,
  name: 5,
  kind: 6,
  startTime: 7,
  endTime: 8,
  attributes: 9,
  status: 15,
  flags: 16,
}
const STATUS = { code: 3 }
const KEY_VALUE = { key: 1, value: 2 }
const ANY_VALUE = { text: 1, boolean: 2, integer: 3, double: 4 }

const MIN_CAPACITY = 4_096
/** The maximum number of bytes of two tags and two lengths. */
const MAX_HEADERS = 24

/** Creates batches of spans as `http/protobuf`. */
export function createProtobufBatches(origin: SpanOrigin): () => SpanBatch {
  const { resource, scope } = preamblesOf(origin)
  const reserved = resource.length + scope.length + MAX_HEADERS
  let capacity = MIN_CAPACITY
  return () => {
    const writer = new ProtobufWriter(reserved + capacity, reserved)
    let count = 0
    return {
      get count() {
        return count
      },
      add(span) {
        count++
        writeSpan(writer, span)
      },
      /**
       * Completes the batch: the bytes before the spans contain the length of the spans, so these bytes are written
       * last, into the reserved space.
       */
      encode() {
        const { bytes, length } = writer
        capacity = Math.max(MIN_CAPACITY, length - reserved)
        const scopeSpans = new ProtobufWriter(reserved)
        scopeSpans.header(RESOURCE_SPANS.scopeSpans, scope.length + length - reserved)
        const resourceSpans = new ProtobufWriter(reserved)
        resourceSpans.header(
          REQUEST.resourceSpans,
          resource.length + scopeSpans.length + scope.length + length - reserved,
        )
        let from = reserved
        for (const part of [scope, written(scopeSpans), resource, written(resourceSpans)]) {
          from -= part.length
          bytes.set(part, from)
        }
        return bytes.subarray(from, length)
      },
    }
  }
}

/** The parts that are the same in all batches. */
function preamblesOf({ resource: attributes, scope: { name, version } }: SpanOrigin) {
  const resource = new ProtobufWriter(MIN_CAPACITY)
  const begun = resource.begin(RESOURCE_SPANS.resource)
  writeAttributes(resource, RESOURCE.attributes, attributes)
  resource.end(begun)
  const scope = new ProtobufWriter(MIN_CAPACITY)
  const begunScope = scope.begin(SCOPE_SPANS.scope)
  scope.text(SCOPE.name, name)
  scope.text(SCOPE.version, version)
  scope.end(begunScope)
  return { resource: written(resource), scope: written(scope) }
}

const written = ({ bytes, length }: ProtobufWriter): Uint8Array => bytes.subarray(0, length)

function writeSpan(writer: ProtobufWriter, span: EndedSpan): void {
  const begun = writer.begin(SCOPE_SPANS.spans)
  writer.hex(SPAN.traceId, span.traceId)
  writer.hex(SPAN.spanId, span.spanId)
  if (span.traceState !== undefined) writer.text(SPAN.traceState, span.traceState)
  if (span.parentSpanId !== undefined) writer.hex(SPAN.parentSpanId, span.parentSpanId)
  writer.text(SPAN.name, span.name)
  writer.integer(SPAN.kind, span.kind)
  writer.nanoseconds(SPAN.startTime, span.startedAtMs)
  writer.nanoseconds(SPAN.endTime, span.endedAtMs)
  writeAttributes(writer, SPAN.attributes, span.attributes)
  if (span.hasFailed) {
    const status = writer.begin(SPAN.status)
    writer.integer(STATUS.code, STATUS_ERROR)
    writer.end(status)
  }
  writer.fixed32(SPAN.flags, flagsOf(span))
  writer.end(begun)
}

function writeAttributes(writer: ProtobufWriter, field: number, attributes: Attributes): void {
  for (const key in attributes) {
    const pair = writer.begin(field)
    writer.text(KEY_VALUE.key, key)
    const value = writer.begin(KEY_VALUE.value)
    writeValue(writer, attributes[key]!)
    writer.end(value)
    writer.end(pair)
  }
}

function writeValue(writer: ProtobufWriter, value: Attributes[string]): void {
  if (typeof value === 'string') writer.text(ANY_VALUE.text, value)
  else if (typeof value === 'boolean') writer.integer(ANY_VALUE.boolean, value ? 1 : 0)
  else if (Number.isSafeInteger(value)) writer.signedInteger(ANY_VALUE.integer, value)
  else writer.double(ANY_VALUE.double, value)
}
