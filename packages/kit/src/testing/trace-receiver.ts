import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { readOtlp } from './read-otlp.ts'

export interface ReceivedSpan {
  name: string
  traceId: string
  spanId: string
  /** Empty for the first span of a trace. */
  parentSpanId: string
  /** As in the protocol: 1 internal, 2 server, 3 client, 5 consumer. */
  kind: number
  hasFailed: boolean
  traceState: string
  flags: number
  startMs: number
  endMs: number
  attributes: Record<string, unknown>
  /** The attributes of its process. */
  resource: Record<string, unknown>
}

/** What the receiver does with exports: `accept` keeps them, `refuse` answers 503, `hang` reads them and never answers. */
export type ReceiverMode = 'accept' | 'refuse' | 'hang'

/** Fields without content may be absent. */
export interface Wire {
  resourceSpans: { resource: { attributes?: WireAttribute[] }; scopeSpans: { spans: WireSpan[] }[] }[]
}
export interface WireAttribute {
  key: string
  value: { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean }
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

/** A collector for tests. */
export async function startTraceReceiver(mode: ReceiverMode = 'accept') {
  const spans: ReceivedSpan[] = []
  const requests: { headers: Record<string, unknown>; path: string }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push({ headers: request.headers, path: request.url ?? '' })
      if (state.mode === 'hang') return
      if (state.mode === 'refuse') return void response.writeHead(503).end()
      const bytes = Buffer.concat(chunks)
      const isZipped = request.headers['content-encoding'] === 'gzip'
      const body = isZipped ? gunzipSync(bytes) : bytes
      const isJson = request.headers['content-type'] === 'application/json'
      spans.push(...spansIn(isJson ? JSON.parse(body.toString('utf8')) : readOtlp(body)))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const state = {
    mode,
    /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
    url: `http://127.0.0.1:${port}`,
    spans,
    requests,
    /** The spans with this name. */
    named: (name: string) => spans.filter((span) => span.name === name),
    /** The spans of this trace. */
    inTrace: (traceId: string) => spans.filter((span) => span.traceId === traceId),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return state
}

export type TraceReceiver = Awaited<ReturnType<typeof startTraceReceiver>>

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
    attributes.map(({ key, value: { intValue, ...others } }) => [
      key,
      intValue === undefined ? Object.values(others)[0] : Number(intValue),
    ]),
  )
}
