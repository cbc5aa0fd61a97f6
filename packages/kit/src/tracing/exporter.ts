import http from 'node:http'
import https from 'node:https'
import { ExportResultCode } from '@opentelemetry/core'
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http'
import type { SpanBatch } from './otlp/index.ts'
import type { TracingSettings } from './settings.ts'

/** Sends a batch to the collector. Rejects if the collector has not accepted the batch after several attempts. */
export type Exporter = (batch: SpanBatch) => Promise<void>

const CONTENT_TYPES = { 'http/protobuf': 'application/x-protobuf', 'http/json': 'application/json' }

/** The exporter of OpenTelemetry, for batches that encode themselves. */
export function createExporter({ url, headers, timeoutMs, compression, protocol }: TracingSettings): Exporter {
  const options = {
    url,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    compression: compression as never,
    // These agents use the proxy that the environment names. The exporter's own agents would not use it.
    httpAgentOptions: (target: string) => (target === 'https:' ? https.globalAgent : http.globalAgent),
  }
  const delegate = createOtlpHttpExportDelegate<SpanBatch, object>(
    convertLegacyHttpOptions(options, 'TRACES', 'v1/traces', { 'Content-Type': CONTENT_TYPES[protocol] }),
    { serializeRequest: (batch) => batch.encode(), deserializeResponse: () => ({}) },
    'otlp_http_span_exporter',
    { name: 'span', countItems: ({ count }) => count },
    undefined,
  )
  return (batch) =>
    new Promise((resolve, reject) => {
      delegate.export(batch, ({ code, error }) => {
        if (code === ExportResultCode.SUCCESS) resolve()
        else reject(error ?? new Error('The export failed'))
      })
    })
}
