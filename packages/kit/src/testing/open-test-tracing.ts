import { SettingsReader } from '../config.ts'
import { activeSpan, type OpenedTracing, openTracing, readTracing } from '../tracing/index.ts'
import type { TraceReceiver } from './trace-receiver.ts'

/** Turns traces on in this process. Spans are sent to the receiver every 20 ms. */
export async function openTestTracing(
  { url }: Pick<TraceReceiver, 'url'>,
  variables: Record<string, string> = {},
): Promise<OpenedTracing & { lines: string[] }> {
  const lines: string[] = []
  const log = (line: string) => void lines.push(activeSpan() === undefined ? line : `${line}, in a trace`)
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    ...variables,
  }
  const opened = await openTracing(readTracing(new SettingsReader(environment)), {
    resource: { 'service.name': 'test' },
    onFailing: (reason) => log(`failing: ${reason}`),
    onRecovered: (dropped) => log(`recovered: ${dropped}`),
  })
  return { ...opened, lines }
}
