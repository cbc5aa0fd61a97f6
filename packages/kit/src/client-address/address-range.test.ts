import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isInRange, parseRange, plainBytes } from './address-range.ts'
import { addressGroup, addressNetwork, canonicalAddress } from './address-text.ts'

const holds = (range: string, address: string) => isInRange(plainBytes(address)!, parseRange(range)!)

describe('a range of addresses', () => {
  it.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['172.16.0.0/12', '172.31.255.255', true],
    ['172.16.0.0/12', '172.32.0.0', false],
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['2001:db8::/33', '2001:db8:7fff::1', true],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['0.0.0.0/0', '8.8.8.8', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '2001:db8::1', true],
    ['::1', '::1', true],
  ])('%s contains %s: %j', (range, address, expected) => {
    expect(holds(range, address)).toBe(expected)
  })

  it.each(['', '/8', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0/8', 'proxy', '10.0.0.0/8/8', '10.0.0.0/-1'])(
    'cannot be read from %j',
    (text) => expect(parseRange(text)).toBeUndefined(),
  )
})

describe('the spelling of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['1:0:0:2:0:0:3:4', '1::2:0:0:3:4', '1:0:0:2::/64'],
    ['fe80::1%eth0', 'fe80::1', 'fe80::/64'],
    ['::1', '::1', '::/64'],
  ])('%s becomes %s, and is counted as %s', (address, canonical, group) => {
    expect(canonicalAddress(address)).toBe(canonical)
    expect(addressGroup(address)).toBe(group)
  })

  it('is replaced by the canonical form', () => {
    const spelled = (address: string) => new URL(`http://[${address}]`).hostname.slice(1, -1)
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        fc.pre(plainBytes(address)!.length === 16)
        expect(canonicalAddress(address)).toBe(spelled(address))
      }),
    )
    expect(addressGroup('')).toBe('')
    expect(addressNetwork('2001:db8:1:2::/64')).toBe('2001:db8:1::/48')
    expect(addressNetwork('192.0.2.7')).toBeUndefined()
    expect(canonicalAddress('nothing')).toBeUndefined()
  })
})
