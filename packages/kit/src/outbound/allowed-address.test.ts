import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseRange } from '../client-address/index.ts'
import { createAddressRule } from './allowed-address.ts'
import { AddressRefused, createOutbound } from './index.ts'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'
import { nearV4, nearV6 } from './testing/registry.ts'
import { anyV4, anyV6, plainV4, plainV6, wrapped } from './testing/spellings.ts'

const ranges = (...texts: string[]) => texts.map((text) => parseRange(text)!)
const ruleOf = (allowed: string[], denied: string[] = [], allowLocal = false) =>
  createAddressRule({ allowLocal, allowed: ranges(...allowed), denied: ranges(...denied) })
const EVERYTHING = ['0.0.0.0/0', '::/0']

/** The addresses of metadata services, as the clouds document them. */
const METADATA = [
  ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '169.254.0.23', '169.254.42.42', '168.63.129.16'],
  ...['100.100.100.200', '192.0.0.192', '192.80.8.124'],
  ...['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fe80::a9fe:a9fe'],
]

describe('metadata services of clouds', () => {
  it.each(METADATA)('[WHK-43] %s is refused, whatever is allowed', (address) => {
    for (const allowed of [[], EVERYTHING, [address]]) {
      expect(ruleOf(allowed)(address)).toBe(false)
      expect(ruleOf(allowed, [], true)(address)).toBe(false)
    }
  })

  it.each([
    'metadata.google.internal',
    'METADATA.google.internal.',
    'metadata',
    'instance-data',
    'metadata.tencentyun.com',
  ])('[WHK-43] %s is refused by name, whatever it resolves to', async (name) => {
    const resolve = async () => ['8.8.8.8']
    const outbound = createOutbound({ allowLocal: true, allowed: ranges(...EVERYTHING), resolve })
    await expect(outbound.check(`https://${name}/`)).rejects.toThrow(AddressRefused)
  })

  it('[WHK-43] are refused if a name resolves to their address, alone or together with a public address', async () => {
    const outbound = (found: string[]) => createOutbound({ allowLocal: false, resolve: async () => found })
    await expect(outbound(['168.63.129.16']).check('https://hook.example/')).rejects.toThrow(AddressRefused)
    await expect(outbound(['8.8.8.8', '168.63.129.16']).check('https://hook.example/')).rejects.toThrow(AddressRefused)
  })
})

describe('ranges of the operator', () => {
  it.each([
    ['10.1.2.3', ['10.0.0.0/8'], [], true],
    ['10.1.2.3', ['10.1.2.3'], [], true],
    ['11.1.2.3', ['10.0.0.0/8'], ['11.0.0.0/8'], false],
    ['10.1.2.3', ['10.2.0.0/16'], [], false],
    ['10.1.2.3', ['10.0.0.0/8'], ['10.1.0.0/16'], false],
    ['100.64.0.9', ['100.64.0.0/10'], [], true],
    ['100.100.100.200', ['100.64.0.0/10'], [], false],
    ['fd12::1', ['fd12::/16'], [], true],
    ['fd00:ec2::254', ['fd00::/8'], [], false],
    ['8.8.8.8', [], ['8.8.8.0/24'], false],
    ['8.8.4.4', [], ['8.8.8.0/24'], true],
    ['2606:4700::1', [], ['2606:4700::/32'], false],
    ['::ffff:10.1.2.3', ['10.0.0.0/8'], [], false],
    ['64:ff9b::a01:203', ['64:ff9b::/96'], [], false],
    ['127.0.0.1', EVERYTHING, [], false],
    ['127.0.0.1', ['127.0.0.0/8'], [], true],
    ['127.0.0.1', ['127.0.0.1'], [], true],
    ['127.0.0.2', ['127.0.0.1'], [], false],
    ['::1', ['::/0'], [], false],
    ['::1', ['::1'], [], true],
    ['0.0.0.0', EVERYTHING, [], false],
    ['224.0.0.1', EVERYTHING, [], false],
    ['255.255.255.255', EVERYTHING, [], false],
    ['ff02::1', EVERYTHING, [], false],
  ] as [string, string[], string[], boolean][])(
    '[WHK-44] accept %s with allowed %j and denied %j: %j',
    (address, allowed, denied, expected) => {
      expect(ruleOf(allowed, denied)(address)).toBe(expected)
    },
  )

  it('[WHK-44] that are denied refuse a loopback address even in development', () => {
    expect(ruleOf([], ['127.0.0.0/8'], true)('127.0.0.1')).toBe(false)
    expect(ruleOf([], [], true)('127.0.0.1')).toBe(true)
  })

  const any = fc.oneof(fc.oneof(anyV4, nearV4).map(plainV4), fc.oneof(anyV6, nearV6).map(plainV6))

  it('[WHK-44] that contain all addresses allow only public and private ones, and no loopback address', () => {
    const open = ruleOf(EVERYTHING)
    const isPrivate = (text: string) =>
      /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|198\.1[89]\.)/.test(text) ||
      /^f[cd][0-9a-f]{2}:/.test(text)
    fc.assert(
      fc.property(any, (address) => {
        if (open(address)) expect(isPublicAddress(address) || isPrivate(address)).toBe(true)
        if (isLoopbackAddress(address)) expect(open(address)).toBe(false)
      }),
      { numRuns: 10_000 },
    )
  })

  it('[WHK-44] never allow an IPv4 address inside an IPv6 address', () => {
    fc.assert(
      fc.property(fc.oneof(anyV4, nearV4), anyV6, (inner, noise) => {
        for (const address of Object.values(wrapped(inner, noise))) {
          const text = plainV6(address)
          // The IPv4-compatible form of 0.0.0.1 is ::1, a loopback address, which a range of all addresses does not
          // allow.
          expect(ruleOf(EVERYTHING)(text)).toBe(false)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('[WHK-44] are optional: without them, exactly the public addresses are allowed', () => {
    fc.assert(
      fc.property(any, (address) => {
        fc.pre(address !== '168.63.129.16' && address !== '192.80.8.124')
        expect(ruleOf([])(address)).toBe(isPublicAddress(address))
      }),
      { numRuns: 5_000 },
    )
  })
})
