import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stackEnvironment } from './stack-environment.ts'

describe('[STK-13] the environment of stacks', () => {
  it('has the variables for outbound connections, and nothing else', () => {
    const outside = {
      NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
      HTTPS_PROXY: 'http://proxy.example:3128',
      no_proxy: 'localhost',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318',
    }
    const secret = {
      MASTER_SECRET: 'x',
      DATABASE_URL: 'postgres://x',
      PATH: '/bin',
      NODE_OPTIONS: '--inspect',
      HOME: '/',
    }
    expect(stackEnvironment({ ...outside, ...secret, OTEL_SERVICE_NAME: '' })).toEqual({
      ...outside,
      NODE_USE_ENV_PROXY: '1',
    })
    expect(stackEnvironment({})).toEqual({})
  })

  it('has the proxy of the variable that is not empty', () => {
    expect(stackEnvironment({ HTTPS_PROXY: '', https_proxy: 'http://p' })).toEqual({
      https_proxy: 'http://p',
      NODE_USE_ENV_PROXY: '1',
    })
  })

  it('has absolute file paths', () => {
    expect(stackEnvironment({ NODE_EXTRA_CA_CERTS: 'ca.pem' })).toEqual({ NODE_EXTRA_CA_CERTS: resolve('ca.pem') })
  })

  it('keeps NODE_USE_ENV_PROXY=0, with which Node ignores the proxies', () => {
    expect(stackEnvironment({ HTTPS_PROXY: 'http://p', NODE_USE_ENV_PROXY: '0' })).toMatchObject({
      NODE_USE_ENV_PROXY: '0',
    })
  })
})
