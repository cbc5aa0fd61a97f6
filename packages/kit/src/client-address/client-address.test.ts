import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AddressRange, parseRange } from './address-range.ts'
import { createClientAddresses } from './client-address.ts'

const ranges = (...texts: string[]): AddressRange[] => texts.map((text) => parseRange(text)!)
const PROXIES = createClientAddresses(ranges('10.0.0.0/8', 'fd00::/8', '192.0.2.1'))

const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}) =>
  PROXIES.clientAddress({ socket: { remoteAddress }, headers })

describe('the address of a client', () => {
  it('is the address of the socket, in canonical form', () => {
    expect(from('203.0.113.7')).toBe('203.0.113.7')
    expect(from('::ffff:203.0.113.7')).toBe('203.0.113.7')
    expect(from('2001:0DB8:0:0::1')).toBe('2001:db8::1')
    expect(from('fe80::1%eth0')).toBe('fe80::1')
    expect(from(undefined)).toBe('')
  })

  it('[RAT-08] is the rightmost hop that is not a trusted proxy', () => {
    const xff = (text: string) => from('10.0.0.1', { 'x-forwarded-for': text })
    expect(xff('198.51.100.9')).toBe('198.51.100.9')
    expect(xff('1.1.1.1, 198.51.100.9')).toBe('198.51.100.9')
    expect(xff('1.1.1.1, 198.51.100.9, 10.3.2.1 , 192.0.2.1')).toBe('198.51.100.9')
    expect(xff('::ffff:198.51.100.9')).toBe('198.51.100.9')
    expect(xff('2001:DB8::0:9')).toBe('2001:db8::9')
    expect(xff('198.51.100.9:4711')).toBe('198.51.100.9')
    expect(xff('[2001:db8::9]:4711')).toBe('2001:db8::9')
    expect(xff('10.1.1.1, 10.2.2.2')).toBe('10.1.1.1')
    expect(from('::ffff:10.0.0.1', { 'x-forwarded-for': '198.51.100.9' })).toBe('198.51.100.9')
    expect(from('fd00::1', { 'x-forwarded-for': '198.51.100.9' })).toBe('198.51.100.9')
  })

  it('[RAT-08] is read from Forwarded with quotes, IPv6 and other parameters', () => {
    const forwarded = (text: string) => from('10.0.0.1', { forwarded: text })
    expect(forwarded('for=198.51.100.9')).toBe('198.51.100.9')
    expect(forwarded('For="[2001:db8:cafe::17]:4711"')).toBe('2001:db8:cafe::17')
    expect(forwarded('for=1.1.1.1, for=198.51.100.9;proto=https;by=10.0.0.1')).toBe('198.51.100.9')
    expect(forwarded('proto=https;for="198.51.100.9:80", for=10.9.9.9')).toBe('198.51.100.9')
    expect(forwarded('for=1.1.1.1;host="a,for=2.2.2.2", for=10.9.9.9')).toBe('1.1.1.1')
    expect(forwarded('for=1.1.1.1;for=2.2.2.2')).toBe('10.0.0.1')
  })

  it.each(['unknown', '_hidden', '', ' ', '"', 'for=', '1.2.3', '999.1.1.1', '1.2.3.4/8', 'fe80::1%eth0', '::g'])(
    'is the hop to the right of the invalid hop %j, or the proxy if the invalid hop is the last one',
    (hop) => {
      expect(from('10.0.0.1', { 'x-forwarded-for': `1.1.1.1, ${hop}` })).toBe('10.0.0.1')
      expect(from('10.0.0.1', { 'x-forwarded-for': `1.1.1.1, ${hop}, 10.5.5.5` })).toBe('10.5.5.5')
      expect(from('10.0.0.1', { forwarded: `for=1.1.1.1, for=${hop}` })).toBe('10.0.0.1')
    },
  )

  describe('with two headers that differ', () => {
    const hops = { 'x-forwarded-for': '198.51.100.9', forwarded: 'for=1.1.1.1' }
    const proxies = () => {
      const { clientAddress } = createClientAddresses(ranges('10.0.0.0/8'))
      return (headers: Record<string, string>, remoteAddress = '10.0.0.1') =>
        clientAddress({ socket: { remoteAddress }, headers })
    }
    const only = (name: keyof typeof hops) => ({ [name]: hops[name] })

    it('[RAT-08] is the proxy’s own address until a request shows which header the proxy sets', () => {
      const read = proxies()
      expect(read({ ...hops, forwarded: 'for=198.51.100.9' })).toBe('198.51.100.9')
      expect(read(hops)).toBe('10.0.0.1')
      expect(read({ ...hops, forwarded: 'for=unknown' })).toBe('10.0.0.1')
      read(only('x-forwarded-for'), '10.0.0.2')
      read({})
      expect(read(hops)).toBe('10.0.0.1')
    })

    it('[RAT-08] is taken from the header that the proxy never leaves out', () => {
      const list = proxies()
      list(only('x-forwarded-for'))
      expect([list(hops), list({ ...hops, forwarded: '"' })]).toEqual(['198.51.100.9', '198.51.100.9'])
      const standard = proxies()
      standard(only('forwarded'))
      expect(standard(hops)).toBe('1.1.1.1')
    })

    it('[RAT-08] is the proxy’s own address if the proxy has left out each header once', () => {
      const read = proxies()
      read(only('x-forwarded-for'))
      read(only('forwarded'))
      expect(read(hops)).toBe('10.0.0.1')
    })
  })

  const anyHeader = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('for=', '"', ';', ',', '10.0.0.1', '[', '\\')))
      .map((parts) => parts.join(',')),
  )

  const anyForwarded = fc
    .array(fc.constantFrom('for=1.1.1.1', 'for="1.1.1.1"', 'for=10.1.1.1', ';by="', '"', '\\', ';', ',', ' '), {
      maxLength: 8,
    })
    .map((parts) => parts.join(''))

  it('[RAT-08] does not depend on the headers of a peer that is not trusted', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), anyHeader, anyHeader, (peer, xff, forwarded) => {
        fc.pre(!PROXIES.isTrustedProxy(peer))
        expect(from(peer, { 'x-forwarded-for': xff, forwarded, 'x-real-ip': xff })).toBe(from(peer))
      }),
    )
  })

  it('[RAT-08] does not depend on anything left of the rightmost untrusted hop', () => {
    fc.assert(
      fc.property(anyHeader, anyHeader, (claimed, other) => {
        expect(from('10.0.0.1', { 'x-forwarded-for': `${claimed},198.51.100.9` })).toBe('198.51.100.9')
        const both = from('10.0.0.1', { 'x-forwarded-for': `${claimed},198.51.100.9`, forwarded: other })
        expect(['198.51.100.9', '10.0.0.1']).toContain(both)
      }),
    )
  })

  it.each(['for=1.1.1.1;by="', 'for=1.1.1.1;by="\\', 'for="1.1.1.1";by="a\\"', 'for=1.1.1.1;"'])(
    '[RAT-08] is the proxy’s own address if a client uses %j to hide what the proxy appends',
    (claimed) => {
      for (const seen of [
        'for=198.51.100.9',
        'for="198.51.100.9:80";proto=https',
        'for="[2001:db8::9]", for=10.9.9.9',
      ]) {
        expect(from('10.0.0.1', { forwarded: `${claimed}, ${seen}` })).toBe('10.0.0.1')
      }
    },
  )

  it('[RAT-08] is what the proxy appends to Forwarded, or the proxy’s own address, whatever a client sent', () => {
    fc.assert(
      fc.property(anyForwarded, fc.constantFrom('for=198.51.100.9', 'for="198.51.100.9:80"'), (claimed, seen) => {
        expect(['198.51.100.9', '10.0.0.1']).toContain(from('10.0.0.1', { forwarded: `${claimed}, ${seen}` }))
      }),
    )
  })

  it('is an address, whatever a trusted proxy sends, and an invalid address of the socket throws no error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), anyHeader, anyHeader, (peer, xff, forwarded) => {
        from(peer, { 'x-forwarded-for': xff, forwarded })
        expect(from('10.0.0.1', { 'x-forwarded-for': xff })).toMatch(/^[\d.]+$|^[\da-f:]+$/)
        expect(from('10.0.0.1', { forwarded })).toMatch(/^[\d.]+$|^[\da-f:]+$/)
      }),
    )
  })

  it.each(['"', ',', 'for="\\', '1.1.1.1,'])('is found in a long header of %j in linear time', (part) => {
    const took = (bytes: number) => {
      const text = part.repeat(bytes / part.length)
      const times = Array.from({ length: 3 }, () => {
        // CPU time is measured, because the load of the machine does not change it.
        const started = process.threadCpuUsage()
        for (let i = 0; i < 25; i++) {
          from('10.0.0.1', { 'x-forwarded-for': text })
          from('10.0.0.1', { forwarded: text })
        }
        const { user, system } = process.threadCpuUsage(started)
        return user + system
      })
      // Some systems count CPU time in ticks of 4 ms.
      return Math.max(4_000, Math.min(...times))
    }
    took(1_000)
    // The long header takes sixteen times as long as the short one in linear time, and 256 times in quadratic time.
    expect(took(64_000) / took(4_000)).toBeLessThan(64)
  })
})
