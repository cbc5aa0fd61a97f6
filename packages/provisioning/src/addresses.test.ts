import { describe, expect, it } from 'vitest'
import { createAddresses } from './addresses.ts'

const local = createAddresses({
  publicUrl: new URL('http://localhost:4000'),
  baseDomain: 'localhost',
  aliases: ['127.0.0.1'],
  machineNames: ['Laptop', '192.168.1.5'],
  hasPathAddresses: true,
})
const company = createAddresses({
  publicUrl: new URL('https://twin.example.com'),
  baseDomain: 'sandboxes.example.com',
  aliases: [],
})

describe('addresses', () => {
  it('[HST-04, HST-01] have the scheme, domain and port of the settings', () => {
    expect(local.sandboxUrl('mall-abcde')).toBe('http://mall-abcde.localhost:4000')
    expect(local.pathUrl('mall-abcde')).toBe('http://localhost:4000/s/mall-abcde')
    expect(company.pathUrl('mall-abcde')).toBeNull()
    expect(company.publicUrl).toBe('https://twin.example.com')
    expect(company.sandboxUrl('mall-abcde')).toBe('https://mall-abcde.sandboxes.example.com')
  })

  it.each([
    ['localhost:4000', { kind: 'control-plane', isAlias: false }],
    ['LOCALHOST', { kind: 'control-plane', isAlias: false }],
    ['localhost.:4000', { kind: 'control-plane', isAlias: false }],
    ['127.0.0.1:4000', { kind: 'control-plane', isAlias: true }],
    ['laptop:4000', { kind: 'unknown', isMachine: true }],
    ['192.168.1.5:4000', { kind: 'unknown', isMachine: true }],
    ['mall-abcde.localhost:4000', { kind: 'sandbox', slug: 'mall-abcde' }],
    ['Mall-ABCDE.localhost', { kind: 'sandbox', slug: 'mall-abcde' }],
    [undefined, { kind: 'unknown', isMachine: false }],
    ['', { kind: 'unknown', isMachine: false }],
    ['.localhost', { kind: 'unknown', isMachine: false }],
    ['a.b.localhost', { kind: 'unknown', isMachine: false }],
    ['-a.localhost', { kind: 'unknown', isMachine: false }],
    ['evil.com', { kind: 'unknown', isMachine: false }],
    ['localhost.evil.com', { kind: 'unknown', isMachine: false }],
    ['xlocalhost', { kind: 'unknown', isMachine: false }],
    ['10.0.0.1', { kind: 'unknown', isMachine: false }],
  ])('[HST-05] resolve the host %s', (host, expected) => {
    expect(local.resolveHost(host)).toEqual(expected)
  })

  it('[HST-05] belong to the control plane only if their host is that of PUBLIC_URL or an alias', () => {
    expect(company.resolveHost('sandboxes.example.com')).toEqual({ kind: 'unknown', isMachine: false })
    expect(company.resolveHost('127.0.0.1')).toEqual({ kind: 'unknown', isMachine: false })
    expect(company.resolveHost('twin.example.com')).toEqual({ kind: 'control-plane', isAlias: false })
  })

  it('[HST-48] cause no redirect behind a proxy, which may send the loopback address as the host', () => {
    const proxied = createAddresses({
      publicUrl: new URL('https://storey.test'),
      baseDomain: 'storey.test',
      aliases: ['127.0.0.1'],
      machineNames: ['laptop'],
    })
    expect(proxied.resolveHost('127.0.0.1:4000')).toEqual({ kind: 'control-plane', isAlias: false })
    expect(proxied.resolveHost('laptop')).toEqual({ kind: 'unknown', isMachine: false })
  })
})
