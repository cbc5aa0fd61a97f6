import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readOtlp } from '../../testing/read-otlp.ts'
import { spansIn } from '../../testing/received-spans.ts'
import { createBatches, type EndedSpan, SPAN_KINDS, type SpanOrigin } from './index.ts'

const ORIGIN: SpanOrigin = {
  resource: { 'service.name': 'storey', 'host.name': 'ü'.repeat(100), pid: 17 },
  scope: { name: 'storey', version: '1.2.3' },
}
const SPAN: EndedSpan = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  traceState: undefined,
  parentSpanId: undefined,
  isParentRemote: false,
  name: 'GET /api/v1/buildings',
  kind: SPAN_KINDS.server,
  startedAtMs: 1_790_000_000_123.25,
  endedAtMs: 1_790_000_000_124.5,
  attributes: {},
  hasFailed: false,
}

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''))
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 600 }),
  fc.string({ maxLength: 600 }),
  fc.constantFrom('', 'x'.repeat(127), 'x'.repeat(128), 'ж'.repeat(64), 'x'.repeat(20_000)),
)
const value = fc.oneof(
  text,
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true }).filter((number) => !Number.isInteger(number)),
  fc.constantFrom(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN),
)
const time = fc.double({ min: 0, max: 4e12, noNaN: true })
const anySpan: fc.Arbitrary<EndedSpan> = fc.record({
  traceId: hex(32),
  spanId: hex(16),
  traceState: fc.option(
    text.filter((state) => state !== ''),
    { nil: undefined },
  ),
  parentSpanId: fc.option(hex(16), { nil: undefined }),
  isParentRemote: fc.boolean(),
  name: text,
  kind: fc.constantFrom(...Object.values(SPAN_KINDS)),
  startedAtMs: time,
  endedAtMs: time,
  attributes: fc.dictionary(text, value, { noNullPrototype: true }),
  hasFailed: fc.boolean(),
})

function encoded(protocol: 'http/json' | 'http/protobuf', spans: readonly EndedSpan[]) {
  const batch = createBatches(protocol, ORIGIN)()
  for (const span of spans) batch.add(span)
  expect(batch.count).toBe(spans.length)
  return Buffer.from(batch.encode())
}

describe('batches of spans', () => {
  it('[TRC-06] have the same content in both encodings', () => {
    fc.assert(
      fc.property(fc.array(anySpan, { maxLength: 5 }), (spans) => {
        const fromJson = spansIn(JSON.parse(encoded('http/json', spans).toString()))
        expect(spansIn(readOtlp(encoded('http/protobuf', spans)))).toEqual(fromJson)
        expect(fromJson.map(({ name }) => name)).toEqual(spans.map((span) => span.name.toWellFormed()))
      }),
    )
  })

  it('[TRC-06] have the same content as batches that the OpenTelemetry library encodes', () => {
    fc.assert(
      fc.property(anySpan, (span) => {
        const bytes = ProtobufTraceSerializer.serializeRequest([ofLibrary(span)])!
        expect(readOtlp(encoded('http/protobuf', [span]))).toEqual(readOtlp(Buffer.from(bytes)))
      }),
    )
  })

  it('have times to the nanosecond', () => {
    const [span] = JSON.parse(encoded('http/json', [SPAN]).toString()).resourceSpans[0].scopeSpans[0].spans
    expect(span).toMatchObject({ startTimeUnixNano: '1790000000123250000', endTimeUnixNano: '1790000000124500000' })
    const { resourceSpans } = readOtlp(encoded('http/protobuf', [SPAN]))
    expect(resourceSpans[0]!.scopeSpans[0]!.spans[0]).toMatchObject({ startTimeUnixNano: '1790000000123250000' })
  })

  it('can be larger than the batch before', () => {
    const create = createBatches('http/protobuf', ORIGIN)
    for (const count of [1, 3_000, 2, 200]) {
      const batch = create()
      for (let i = 0; i < count; i++) batch.add({ ...SPAN, name: `span ${i}` })
      const spans = spansIn(readOtlp(Buffer.from(batch.encode())))
      expect(spans.map(({ name }) => name)).toEqual(Array.from({ length: count }, (_, i) => `span ${i}`))
      expect(spans[0]!.resource).toEqual(ORIGIN.resource)
    }
  })
})

/** A span in the form that the library reads. */
function ofLibrary(span: EndedSpan): Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number] {
  const { traceId, spanId, traceState, parentSpanId, name, attributes } = span
  const state = traceState === undefined ? {} : { traceState: { serialize: () => traceState } }
  return {
    name,
    kind: span.kind - 1,
    spanContext: () => ({ traceId, spanId, traceFlags: 1, ...state }) as never,
    // The library reads `isRemote` from this context, so the context is set even if the span has no parent.
    parentSpanContext: { traceId, spanId: parentSpanId ?? '', traceFlags: 1, isRemote: span.isParentRemote },
    startTime: hrTime(span.startedAtMs),
    endTime: hrTime(span.endedAtMs),
    status: { code: span.hasFailed ? 2 : 0 },
    attributes,
    links: [],
    events: [],
    duration: [0, 0],
    ended: true,
    resource: { attributes: ORIGIN.resource } as never,
    instrumentationScope: ORIGIN.scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

function hrTime(ms: number): [number, number] {
  const whole = Math.trunc(ms)
  const seconds = Math.trunc(whole / 1_000)
  return [seconds, (whole - seconds * 1_000) * 1e6 + Math.trunc((ms - whole) * 1e6)]
}
