import { describe, expect, it } from 'vitest'
import { SettingsReader } from '../config.ts'
import { readTracing } from './settings.ts'

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' }

function read(environment: Record<string, string>) {
  const reader = new SettingsReader(environment)
  return { settings: readTracing(reader), errors: reader.errors }
}

describe('the settings of traces', () => {
  it('are undefined without an endpoint, with the SDK disabled, or with the exporter “none”', () => {
    expect(read({ OTEL_TRACES_SAMPLER: 'nonsense', OTEL_SERVICE_NAME: 'x' })).toEqual({
      settings: undefined,
      errors: [],
    })
    expect(read({ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }).settings).toBeUndefined()
    expect(read({ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }).settings).toBeUndefined()
  })

  it('have the defaults of the specification', () => {
    expect(read(ENDPOINT).settings).toEqual({
      url: 'http://collector.example:4318/v1/traces',
      protocol: 'http/protobuf',
      headers: {},
      compression: 'none',
      timeoutMs: 10_000,
      serviceName: 'storey',
      resource: {},
      sampler: { root: 'always_on', ratio: 1, isParentBased: true },
      delayMs: 5_000,
      maxWaiting: 2_048,
      maxBatch: 512,
    })
  })

  it('append /v1/traces to the endpoint for all signals, but nothing to the endpoint for traces', () => {
    const urlOf = (environment: Record<string, string>) => read(environment).settings?.url
    expect(urlOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example/otlp/' })).toBe('https://c.example/otlp/v1/traces')
    const own = { ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://t.example/spans' }
    expect(urlOf(own)).toBe('https://t.example/spans')
  })

  it('contain the headers, the resource and the sampler', () => {
    const { settings, errors } = read({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20secret, x-team=twin=1',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=twin,deployment.environment.name=test',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
    })
    expect(errors).toEqual([])
    expect(settings).toMatchObject({
      protocol: 'http/json',
      headers: { 'api-key': 'a secret', 'x-team': 'twin=1' },
      serviceName: 'twin',
      resource: { 'deployment.environment.name': 'test' },
      sampler: { root: 'traceidratio', ratio: 0.25, isParentBased: false },
      maxWaiting: 100,
      maxBatch: 100,
    })
  })

  it('are refused with the name of the variable, and without the value of a header', () => {
    const { errors } = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_HEADERS: 'secret',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '25 %',
    })
    expect(errors).toEqual([
      'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that starts with http:// or https://',
      'OTEL_EXPORTER_OTLP_PROTOCOL must be one of http/protobuf, http/json, not "grpc"',
      'OTEL_EXPORTER_OTLP_HEADERS must be pairs such as key=value, separated by commas',
      'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "25 %"',
    ])
  })
})
