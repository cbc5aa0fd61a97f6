import type { Exporter } from './exporter.ts'
import type { SpanBatch } from './otlp/index.ts'
import type { TracingOptions } from './settings.ts'
import { errorType } from './tracing.ts'

/** Reports the first failed export of an outage and the first successful one after it, and nothing in between. */
export function watchExports(
  exporter: Exporter,
  { onFailing, onRecovered }: Pick<TracingOptions, 'onFailing' | 'onRecovered'>,
) {
  let isFailing = false
  let dropped = 0
  return {
    isFailing: () => isFailing,
    noteDropped: () => void dropped++,
    async send(batch: SpanBatch): Promise<void> {
      try {
        await exporter(batch)
        if (isFailing) onRecovered(dropped)
        isFailing = false
        dropped = 0
      } catch (err) {
        if (!isFailing) onFailing(reasonOf(err))
        isFailing = true
        dropped += batch.count
      }
    },
  }
}

/** The message without its end, which may be a long response of the collector. */
function reasonOf(err: unknown): string {
  const message = err instanceof Error ? err.message : ''
  return (message === '' ? errorType(err) : message).slice(0, 200)
}
