import type { SettingsReader } from '../config.ts'

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
const PROTOCOLS = ['http/protobuf', 'http/json'] as const

export interface TracingSettings {
  /** The address of the collector that receives spans. */
  url: string
  protocol: (typeof PROTOCOLS)[number]
  headers: Readonly<Record<string, string>>
  compression: 'gzip' | 'none'
  timeoutMs: number
  serviceName: string
  resource: Readonly<Record<string, string>>
  sampler: { root: 'always_on' | 'always_off' | 'traceidratio'; ratio: number; isParentBased: boolean }
  /** How long a span waits at most for further spans, which are then sent together with it. */
  delayMs: number
  /** How many spans wait at most. Further ones are dropped. */
  maxWaiting: number
  maxBatch: number
}

export interface TracingOptions {
  /** Attributes of all spans of this process. */
  resource: Readonly<Record<string, string>>
  /**
   * Called with the reason when an export fails and the export before it did not. Spans are dropped until an export
   * succeeds.
   */
  onFailing(reason: string): void
  /** Called for the first successful export after failed ones, with the number of spans dropped meanwhile. */
  onRecovered(dropped: number): void
}

/**
 * Reads the variables of the OpenTelemetry specification. Returns undefined, without checking the remaining variables,
 * if traces are off.
 */
export function readTracing(read: SettingsReader): TracingSettings | undefined {
  /** A variable for traces overrides the variable for all signals. */
  const variable = (name: string) => {
    const own = `OTEL_EXPORTER_OTLP_TRACES_${name}`
    return read.text(own) === undefined ? `OTEL_EXPORTER_OTLP_${name}` : own
  }
  const endpoint = variable('ENDPOINT')
  if (read.text(endpoint) === undefined) return undefined
  if (read.text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  if (read.choice('OTEL_TRACES_EXPORTER', ['otlp', 'none'], 'otlp') === 'none') return undefined
  const url = read.url(endpoint, ['http:', 'https:'])
  const resource = pairs(read, 'OTEL_RESOURCE_ATTRIBUTES')
  const maxWaiting = read.integer('OTEL_BSP_MAX_QUEUE_SIZE', 2_048, { min: 1, max: 16_384 })
  return {
    url: url === undefined ? '' : endpoint.includes('TRACES') ? url.href : tracesUrl(url),
    protocol: read.choice(variable('PROTOCOL'), PROTOCOLS, 'http/protobuf'),
    headers: pairs(read, variable('HEADERS')),
    compression: read.choice(variable('COMPRESSION'), ['gzip', 'none'], 'none'),
    timeoutMs: read.integer(variable('TIMEOUT'), 10_000, { min: 1, max: 60_000 }),
    serviceName: read.text('OTEL_SERVICE_NAME') ?? resource['service.name'] ?? 'storey',
    resource,
    sampler: sampler(read),
    delayMs: read.integer('OTEL_BSP_SCHEDULE_DELAY', 5_000, { min: 1, max: 60_000 }),
    maxWaiting,
    maxBatch: read.integer('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', Math.min(512, maxWaiting), { min: 1, max: maxWaiting }),
  }
}

function tracesUrl(base: URL): string {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`
  return url.href
}

function sampler(read: SettingsReader): TracingSettings['sampler'] {
  const name = read.choice('OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on')
  const isParentBased = name.startsWith('parentbased_')
  const root = name.replace('parentbased_', '') as TracingSettings['sampler']['root']
  const text = read.text('OTEL_TRACES_SAMPLER_ARG')
  const ratio = Number(text ?? 1)
  if (root === 'traceidratio' && !(ratio >= 0 && ratio <= 1))
    read.addError('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1', text)
  return { root, ratio, isParentBased }
}

/** Pairs such as `api-key=secret,team=twin`. Values are percent-encoded. */
function pairs(read: SettingsReader, name: string): Record<string, string> {
  const entries = read.list(name).map((pair): [string, string] | undefined => {
    const at = pair.indexOf('=')
    const key = pair.slice(0, Math.max(0, at)).trim()
    const value = decoded(pair.slice(at + 1).trim())
    return key === '' || value === undefined ? undefined : [key, value]
  })
  // The value is not printed, because a header may contain a secret.
  if (entries.includes(undefined)) read.addError(name, 'must be pairs such as key=value, separated by commas')
  return Object.fromEntries(entries.filter((entry) => entry !== undefined))
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
