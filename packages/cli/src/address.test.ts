import { describe, expect, it } from 'vitest'
import { serviceAddress } from './address.ts'

const env = { SVC_SANDBOX_API_URL: 'http://first', SVC_API_URL: 'http://second/' }

describe('the address of the service', () => {
  it('[CLI-01] comes from --api, then SVC_SANDBOX_API_URL, then SVC_API_URL, then the default', () => {
    expect(serviceAddress('https://said/path/', env)).toEqual({ url: 'https://said/path', source: '--api' })
    expect(serviceAddress(undefined, env)).toEqual({ url: 'http://first', source: 'SVC_SANDBOX_API_URL' })
    expect(serviceAddress(undefined, { ...env, SVC_SANDBOX_API_URL: '' })).toMatchObject({ url: 'http://second' })
    expect(serviceAddress(undefined, {})).toEqual({ url: 'http://localhost:4000', source: 'the default' })
  })

  it('is refused if it is not http or https, or if it has a password; the message does not show the password', () => {
    for (const text of ['localhost:4000', 'ftp://x', 'nonsense']) {
      expect(() => serviceAddress(text, {})).toThrow(`--api is "${text}"`)
    }
    expect(() => serviceAddress('http://user:secret@x', {})).toThrow(/^(?!.*secret)/)
  })
})
