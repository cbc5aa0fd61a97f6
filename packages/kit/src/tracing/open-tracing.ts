import { within } from '../within.ts'
import type { TracingOptions, TracingSettings } from './settings.ts'
import { setTracer } from './tracing.ts'

export interface OpenedTracing {
  /** Sends the waiting spans, within a short time. */
  close(): Promise<void>
}

/** A stop does not wait longer for a collector that does not respond. */
const FLUSH_LIMIT_MS = 1_000
const OFF: OpenedTracing = { close: async () => undefined }

/** Loads the OpenTelemetry SDK and turns traces on. Without settings nothing is loaded. */
export async function openTracing(
  settings: TracingSettings | undefined,
  options: TracingOptions,
): Promise<OpenedTracing> {
  if (settings === undefined) return OFF
  const { createTracer } = await loadTracing()
  const { tracer, shutDown } = createTracer(settings, options)
  setTracer(tracer)
  return {
    async close() {
      setTracer(undefined)
      await within(FLUSH_LIMIT_MS, shutDown()).catch(() => undefined)
    },
  }
}

/** Loads the SDK in advance, for a process that turns traces on later. */
export const loadTracing = () => import('./opentelemetry.ts')
