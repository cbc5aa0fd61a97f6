// A second implementation of the rules in `public-address.ts`, for comparison. Its tables list the
// ranges that those rules refuse, mostly from IANA's registries. Some are inside another range of the table.

import fc from 'fast-check'

const RESERVED_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '255.255.255.255/32'],
].map((text) => prefixOf(text, '.', 10, 8, 32))

const UNICAST_V6 = prefixOf('2000:0:0:0:0:0:0:0/3', ':', 16, 16, 128)
const RESERVED_V6 = [
  ...['0:0:0:0:0:0:0:0/128', '0:0:0:0:0:0:0:1/128', '0:0:0:0:0:0:0:0/96', '0:0:0:0:0:ffff:0:0/96'],
  ...['0:0:0:0:ffff:0:0:0/96', '64:ff9b:0:0:0:0:0:0/96', '64:ff9b:1:0:0:0:0:0/48', '100:0:0:0:0:0:0:0/64'],
  ...['2001:0:0:0:0:0:0:0/23', '2001:0:0:0:0:0:0:0/32', '2001:2:0:0:0:0:0:0/48', '2001:10:0:0:0:0:0:0/28'],
  ...['2001:20:0:0:0:0:0:0/28', '2001:db8:0:0:0:0:0:0/32', '2002:0:0:0:0:0:0:0/16', '3fff:0:0:0:0:0:0:0/20'],
  ...['5f00:0:0:0:0:0:0:0/16', 'fc00:0:0:0:0:0:0:0/7', 'fe80:0:0:0:0:0:0:0/10', 'fec0:0:0:0:0:0:0:0/10'],
  'ff00:0:0:0:0:0:0:0/8',
].map((text) => prefixOf(text, ':', 16, 16, 128))

interface Prefix {
  first: bigint
  last: bigint
}

function prefixOf(text: string, separator: string, base: number, partBits: number, bits: number): Prefix {
  const [address = '', length = ''] = text.split('/')
  const first = address
    .split(separator)
    .reduce((sum, part) => sum * 2n ** BigInt(partBits) + BigInt(Number.parseInt(part, base)), 0n)
  return { first, last: first + 2n ** BigInt(bits - Number(length)) - 1n }
}

const within = (address: bigint) => (prefix: Prefix) => address >= prefix.first && address <= prefix.last

export function isPublicV4Number(address: bigint): boolean {
  return !RESERVED_V4.some(within(address))
}

export function isPublicV6Number(address: bigint): boolean {
  if (!within(address)(UNICAST_V6) || RESERVED_V6.some(within(address))) return false
  return !/^.{16}0[02]005efe/.test(address.toString(16).padStart(32, '0'))
}

export function isLoopbackNumber(address: bigint, bits: 32 | 128): boolean {
  return bits === 128 ? address === 1n : address / 2n ** 24n === 127n
}

/** An address inside a range or close to its ends, because random addresses rarely hit a small range. */
function near(prefixes: readonly Prefix[], bits: number): fc.Arbitrary<bigint> {
  const size = 2n ** BigInt(bits)
  return fc.constantFrom(...prefixes).chain(({ first, last }) =>
    fc.oneof(
      fc.bigInt({ min: first, max: last }),
      fc.tuple(fc.constantFrom(first, last), fc.bigInt({ min: -3n, max: 3n })).map(([edge, step]) => {
        return (((edge + step) % size) + size) % size
      }),
    ),
  )
}

export const nearV4 = near(RESERVED_V4, 32)
export const nearV6 = near([...RESERVED_V6, UNICAST_V6], 128)
