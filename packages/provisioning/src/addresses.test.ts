import { describe, expect, it } from 'vitest'
import { createAddresses } from './addresses.ts'

const local = createAddresses({
  publicUrl: new URL('http://localhost:4000'),
  baseDomain: 'localhost',
  aliases: ['127.0.0.1'],
})
const company = createAddresses({
  publicUrl: new URL('https://twin.example.com'),
  baseDomain: 'sandboxes.example.com',
  aliases: [],
})

describe('addresses', () => {
  it('[HST-04, HST-01] have the scheme, domain and port of the settings', () => {
    expect(local.sandboxUrl('mall-abcde')).toBe('http://mall-abcde.localhost:4000')
    expect(company.publicUrl).toBe('https://twin.example.com')
    expect(company.sandboxUrl('mall-abcde')).toBe('https://mall-abcde.sandboxes.example.com')
  })

  it.each([
    ['localhost:4000', { kind: 'control-plane' }],
    ['LOCALHOST', { kind: 'control-plane' }],
    ['localhost.:4000', { kind: 'control-plane' }],
    ['127.0.0.1:4000', { kind: 'control-plane' }],
    ['mall-abcde.localhost:4000', { kind: 'sandbox', slug: 'mall-abcde' }],
    ['Mall-ABCDE.localhost', { kind: 'sandbox', slug: 'mall-abcde' }],
    [undefined, { kind: 'unknown' }],
    ['', { kind: 'unknown' }],
    ['.localhost', { kind: 'unknown' }],
    ['a.b.localhost', { kind: 'unknown' }],
    ['-a.localhost', { kind: 'unknown' }],
    ['evil.com', { kind: 'unknown' }],
    ['localhost.evil.com', { kind: 'unknown' }],
    ['xlocalhost', { kind: 'unknown' }],
    ['10.0.0.1', { kind: 'unknown' }],
  ])('[HST-05] reads the host %s', (host, expected) => {
    expect(local.resolveHost(host)).toEqual(expected)
  })

  it('[HST-05] recognizes the control plane only by its own host names', () => {
    expect(company.resolveHost('sandboxes.example.com')).toEqual({ kind: 'unknown' })
    expect(company.resolveHost('127.0.0.1')).toEqual({ kind: 'unknown' })
    expect(company.resolveHost('twin.example.com')).toEqual({ kind: 'control-plane' })
  })
})
