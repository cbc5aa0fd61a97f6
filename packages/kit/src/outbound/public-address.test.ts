import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sameAddress } from '../client-address/index.ts'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'
import { isLoopbackNumber, isPublicV4Number, isPublicV6Number, nearV4, nearV6 } from './testing/registry.ts'
import { anyV4, anyV6, notationsOfV6, plainV4, plainV6, wrapped } from './testing/spellings.ts'

/** The first and last address of a refused range, and the public addresses next to it if there are any. */
const EDGES: [below: string | null, first: string, last: string, above: string | null][] = [
  [null, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['223.255.255.255', '224.0.0.0', '239.255.255.255', null],
  [null, '240.0.0.0', '255.255.255.255', null],
  [null, '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
  ['2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
  ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
  ['2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  ['3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
  ['3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
]

describe('the address rule', () => {
  it.each(EDGES)('accepts %s, refuses %s to %s, accepts %s (null: none to check)', (below, first, last, above) => {
    expect([first, last].filter(isPublicAddress)).toEqual([])
    expect([below, above].every((address) => address === null || isPublicAddress(address))).toBe(true)
  })

  it.each([
    '127.0.0.1',
    '169.254.169.254',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::8.8.8.8',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
  ])('refuses %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '2A00:1450:4001:0:0:0:0:200E', '2a00::5efe:1:1:1'])(
    'allows %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )

  it.each([
    '',
    'example.com',
    '8.8.8',
    '8.8.8.8.8',
    '08.8.8.8',
    '0x8.8.8.8',
    '134744072',
    '8.8.8.8 ',
    '8.8.8.8/32',
    '[2606:4700::1]',
    '2606:4700::1%eth0',
    '2606:4700::1::2',
    '2606:4700',
    'fe80::1%1',
  ])('refuses text that is not a plain address: "%s"', (text) => {
    expect(isPublicAddress(text)).toBe(false)
  })

  it('agrees with the registries for random IPv4 addresses and those near reserved ranges', () => {
    fc.assert(
      fc.property(fc.oneof(anyV4, nearV4), (address) => {
        expect(isPublicAddress(plainV4(address))).toBe(isPublicV4Number(address))
      }),
      { numRuns: 10_000 },
    )
  })

  it('agrees with the registries for random IPv6 addresses and those near reserved ranges, in every notation', () => {
    const spelled = fc.oneof(anyV6, nearV6).chain((address) => fc.tuple(fc.constant(address), notationsOfV6(address)))
    fc.assert(
      fc.property(spelled, ([address, text]) => {
        expect(sameAddress(text, plainV6(address))).toBe(true)
        expect(isPublicAddress(text)).toBe(isPublicV6Number(address))
      }),
      { numRuns: 5_000 },
    )
  })

  it('refuses any IPv4 address inside an IPv6 address', () => {
    fc.assert(
      fc.property(fc.oneof(anyV4, nearV4), anyV6, (inner, noise) => {
        for (const address of Object.values(wrapped(inner, noise))) {
          expect(isPublicAddress(plainV6(address))).toBe(false)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('treats only 127/8 and ::1 as loopback', () => {
    expect(['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1', '0:0::0:1'].every(isLoopbackAddress)).toBe(true)
    expect(['126.255.255.255', '128.0.0.0', '::', '::2', '::ffff:127.0.0.1', 'localhost'].some(isLoopbackAddress)).toBe(
      false,
    )
    fc.assert(
      fc.property(fc.oneof(anyV4, nearV4), fc.oneof(anyV6, nearV6), (v4, v6) => {
        expect(isLoopbackAddress(plainV4(v4))).toBe(isLoopbackNumber(v4, 32))
        expect(isLoopbackAddress(plainV6(v6))).toBe(isLoopbackNumber(v6, 128))
      }),
      { numRuns: 5_000 },
    )
  })
})
