import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { readOtlp } from './read-otlp.ts'
import { type ReceivedSpan, spansIn } from './received-spans.ts'

export type { ReceivedSpan }

/**
 * What the receiver does with exports: `accept` keeps them, `refuse` answers 503, `hang` reads them and does not answer
 * before `answerAll`.
 */
export type ReceiverMode = 'accept' | 'refuse' | 'hang'

/** An OpenTelemetry collector for tests. */
export async function startTraceReceiver(mode: ReceiverMode = 'accept') {
  const spans: ReceivedSpan[] = []
  const requests: { headers: Record<string, unknown>; path: string }[] = []
  const unanswered: (() => void)[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push({ headers: request.headers, path: request.url ?? '' })
      if (state.mode === 'refuse') return void response.writeHead(503).end()
      const accept = () => {
        const bytes = Buffer.concat(chunks)
        const isZipped = request.headers['content-encoding'] === 'gzip'
        const body = isZipped ? gunzipSync(bytes) : bytes
        const isJson = request.headers['content-type'] === 'application/json'
        spans.push(...spansIn(isJson ? JSON.parse(body.toString('utf8')) : readOtlp(body)))
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      }
      if (state.mode === 'hang') unanswered.push(accept)
      else accept()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const state = {
    mode,
    /** The value for OTEL_EXPORTER_OTLP_ENDPOINT. */
    url: `http://127.0.0.1:${port}`,
    spans,
    requests,
    named: (name: string) => spans.filter((span) => span.name === name),
    inTrace: (traceId: string) => spans.filter((span) => span.traceId === traceId),
    /** Accepts the exports that hang, and all later ones. */
    answerAll() {
      state.mode = 'accept'
      for (const accept of unanswered.splice(0)) accept()
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return state
}

export type TraceReceiver = Awaited<ReturnType<typeof startTraceReceiver>>
