import { describe, expect, it } from 'vitest'
import { registrableDomain, sharedDomainWarning } from './shared-domain.ts'

describe('the registrable domain', () => {
  it.each([
    ['storey.example.com', 'example.com'],
    ['example.com', 'example.com'],
    ['a.b.example.co.uk', 'example.co.uk'],
    ['Example.COM.', 'example.com'],
    ['localhost', 'localhost'],
    ['192.0.2.1', '192.0.2.1'],
    ['[2001:db8::1]', '[2001:db8::1]'],
  ])('of the host %s is %s', (host, domain) => expect(registrableDomain(host)).toBe(domain))

  it('[HST-26] causes a warning if the portal and the sandboxes have the same one', () => {
    expect(sharedDomainWarning(new URL('https://storey.example.com'), 'sandboxes.example.com')).toContain('example.com')
    expect(sharedDomainWarning(new URL('https://example.com'), 'example.com')).toContain('example.com')
    expect(sharedDomainWarning(new URL('https://storey.example.com'), 'example-sandboxes.com')).toBeUndefined()
    expect(sharedDomainWarning(new URL('https://a.co.uk'), 'b.co.uk')).toBeUndefined()
  })
})
