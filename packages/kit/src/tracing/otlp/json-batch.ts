import type { Attributes } from '../tracing.ts'
import { type EndedSpan, flagsOf, type SpanBatch, type SpanOrigin, STATUS_ERROR } from './span-batch.ts'

/** Spans in the OTLP encoding `http/json`. */
export function createJsonBatch({ resource, scope }: SpanOrigin): SpanBatch {
  const spans: string[] = []
  return {
    get count() {
      return spans.length
    },
    add: (span) => void spans.push(JSON.stringify(jsonOf(span))),
    encode: () =>
      Buffer.from(
        `{"resourceSpans":[{"resource":${JSON.stringify({ attributes: attributesOf(resource) })},` +
          `"scopeSpans":[{"scope":${JSON.stringify(scope)},"spans":[${spans.join(',')}]}]}]}`,
      ),
  }
}

function jsonOf(span: EndedSpan) {
  const { traceId, spanId, traceState, parentSpanId, name, kind } = span
  return {
    ...{ traceId, spanId, traceState, parentSpanId, name, kind },
    startTimeUnixNano: nanoseconds(span.startedAtMs),
    endTimeUnixNano: nanoseconds(span.endedAtMs),
    attributes: attributesOf(span.attributes),
    status: span.hasFailed ? { code: STATUS_ERROR } : {},
    flags: flagsOf(span),
  }
}

function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValueOf(value) }))
}

function anyValueOf(value: Attributes[string]) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (Number.isSafeInteger(value)) return { intValue: value }
  // JSON has no infinite numbers and no NaN. The JSON of Protocol Buffers has the texts Infinity, -Infinity and NaN.
  return { doubleValue: Number.isFinite(value) ? value : String(value) }
}

/** Nanoseconds as text, because a JSON number of this size would not be exact. */
function nanoseconds(ms: number): string {
  const whole = Math.trunc(ms)
  return `${whole}${String(Math.trunc((ms - whole) * 1e6)).padStart(6, '0')}`
}
