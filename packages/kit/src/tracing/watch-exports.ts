import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { TracingOptions } from './settings.ts'
import { errorType, runDetached } from './tracing.ts'

const SUCCESS = 0

/** Reports the first failed export of an outage and the first successful one after it, and nothing in between. */
export function watchExports(
  exporter: SpanExporter,
  { onFailing, onRecovered }: Pick<TracingOptions, 'onFailing' | 'onRecovered'>,
): { exporter: SpanExporter; isFailing(): boolean } {
  let isFailing = false
  let dropped = 0
  return {
    isFailing: () => isFailing,
    exporter: {
      export(spans, done) {
        const note: typeof done = (result) => {
          if (result.code === SUCCESS) {
            if (isFailing) onRecovered(dropped)
            isFailing = false
            dropped = 0
          } else {
            if (!isFailing) onFailing(reasonOf(result.error))
            isFailing = true
            dropped += spans.length
          }
          done(result)
        }
        // Exports begin when some request ends, and have nothing to do with its trace.
        runDetached(() => exporter.export(spans, note))
      },
      forceFlush: async () => exporter.forceFlush?.(),
      shutdown: () => exporter.shutdown(),
    },
  }
}

/** The message without its end, which may be a long response of the collector. */
function reasonOf(error: Error | undefined): string {
  const message = error?.message ?? ''
  return (message === '' ? errorType(error) : message).slice(0, 200)
}
