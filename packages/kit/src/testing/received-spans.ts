export interface ReceivedSpan {
  name: string
  traceId: string
  spanId: string
  /** Empty for the first span of a trace. */
  parentSpanId: string
  /** As in OTLP: 1 internal, 2 server, 3 client, 5 consumer. */
  kind: number
  hasFailed: boolean
  traceState: string
  flags: number
  startMs: number
  endMs: number
  attributes: Record<string, unknown>
  /** The attributes of the process that sent the span. */
  resource: Record<string, unknown>
}

/** An OTLP export request as JSON. Fields without content may be absent. */
export interface Wire {
  resourceSpans: { resource: { attributes?: WireAttribute[] }; scopeSpans: { spans: WireSpan[] }[] }[]
}
export interface WireAttribute {
  key: string
  value: { stringValue?: string; intValue?: number | string; doubleValue?: number | string; boolValue?: boolean }
}
export interface WireSpan extends Pick<ReceivedSpan, 'name' | 'traceId' | 'spanId' | 'kind'> {
  parentSpanId?: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes?: WireAttribute[]
  status?: { code?: number }
  traceState?: string
  flags?: number
}

const STATUS_ERROR = 2

export function spansIn({ resourceSpans }: Wire): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map(({ name, traceId, spanId, parentSpanId = '', kind, status, ...span }) => ({
        ...{ name, traceId, spanId, parentSpanId, kind },
        hasFailed: status?.code === STATUS_ERROR,
        traceState: span.traceState ?? '',
        flags: span.flags ?? 0,
        startMs: Number(span.startTimeUnixNano) / 1e6,
        endMs: Number(span.endTimeUnixNano) / 1e6,
        attributes: valuesOf(span.attributes),
        resource: valuesOf(resource.attributes),
      })),
    ),
  )
}

function valuesOf(attributes: readonly WireAttribute[] = []): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value: { intValue, doubleValue, ...others } }) => [
      key,
      intValue === undefined && doubleValue === undefined ? Object.values(others)[0] : Number(intValue ?? doubleValue),
    ]),
  )
}
