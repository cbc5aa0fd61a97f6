// Addresses as numbers, and their many notations.

import fc from 'fast-check'

export const anyV4 = fc.bigInt({ min: 0n, max: 2n ** 32n - 1n })
export const anyV6 = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n })

export function plainV4(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join('.')
}

function words(address: bigint): bigint[] {
  return [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => (address >> shift) & 0xffffn)
}

/** Writes all eight groups of an address, uncompressed. */
export function plainV6(address: bigint): string {
  return words(address)
    .map((word) => word.toString(16))
    .join(':')
}

/**
 * Notations of an IPv4 address: decimal, hex or octal, in one to four parts (the last part holds all remaining bytes),
 * with URL escapes, full-width characters, ideographic full stops or a dot at the end.
 */
export function notationsOfV4(address: bigint): fc.Arbitrary<string> {
  const part = (value: bigint) =>
    fc.tuple(fc.constantFrom('', '0x', '0X', '0'), fc.nat(3), fc.boolean()).map(([prefix, zeros, upper]) => {
      if (prefix === '') return value.toString()
      const digits = value.toString(prefix === '0' ? 8 : 16)
      return prefix + '0'.repeat(zeros) + (upper ? digits.toUpperCase() : digits)
    })
  return fc
    .integer({ min: 1, max: 4 })
    .chain((count) => {
      const bits = BigInt(8 * (5 - count))
      const leading = Array.from({ length: count - 1 }, (_, i) => (address >> BigInt(24 - 8 * i)) & 255n)
      return fc.tuple(...[...leading, address & ((1n << bits) - 1n)].map(part))
    })
    .chain((parts) => escapedOrNot(parts.join('.')))
    .chain((text) => fc.constantFrom(text, `${text}.`))
}

function escapedOrNot(text: string): fc.Arbitrary<string> {
  const letters = [...text].map((letter) => {
    const code = letter.charCodeAt(0)
    return fc.constantFrom(letter, `%${code.toString(16)}`, String.fromCharCode(code + 0xfee0))
  })
  return fc.oneof(
    fc.constant(text),
    fc.constant(text.replaceAll('.', '。')),
    fc.tuple(...letters).map((some) => some.join('')),
  )
}

/** Notations of an IPv6 address: upper or lower case, leading zeros, compressed zero groups, the end in dotted form. */
export function notationsOfV6(address: bigint): fc.Arbitrary<string> {
  const groups = words(address)
  const group = (word: bigint) =>
    fc.tuple(fc.boolean(), fc.boolean()).map(([upper, padded]) => {
      const digits = word.toString(16).padStart(padded ? 4 : 1, '0')
      return upper ? digits.toUpperCase() : digits
    })
  const runs: [from: number, to: number][] = [[0, 0]]
  for (let from = 0; from < 8; from++) {
    for (let to = from + 1; to <= 8 && groups[to - 1] === 0n; to++) runs.push([from, to])
  }
  return fc
    .tuple(fc.tuple(...groups.map(group)), fc.boolean(), fc.constantFrom(...runs))
    .map(([texts, dotted, [from, to]]) => {
      const tail = dotted && to <= 6 ? [plainV4(address & 0xffff_ffffn)] : texts.slice(Math.max(6, to))
      const all = (start: number, end: number) => texts.slice(start, Math.min(end, 6))
      if (from === to) return [...all(0, 6), ...tail].join(':')
      return `${texts.slice(0, from).join(':')}::${[...all(to, 6), ...tail].join(':')}`
    })
}

/** The IPv6 addresses that contain this IPv4 address, by their form. `noise` fills the bits that a form leaves open. */
export function wrapped(inner: bigint, noise: bigint): Record<string, bigint> {
  const low = (bits: bigint) => noise & ((1n << bits) - 1n)
  return {
    mapped: (0xffffn << 32n) | inner,
    compatible: inner,
    translated: (0xffff_0000n << 32n) | inner,
    nat64: (0x64_ff9bn << 96n) | inner,
    localNat64: (0x64_ff9b_0001n << 80n) | (low(48n) << 32n) | inner,
    sixToFour: (0x2002n << 112n) | (inner << 80n) | low(80n),
    teredo: (0x2001_0000n << 96n) | (low(64n) << 32n) | (inner ^ 0xffff_ffffn),
    isatap: (0x2a00n << 112n) | (low(48n) << 64n) | (0x5efen << 32n) | inner,
    globalIsatap: (0x2a00n << 112n) | (low(48n) << 64n) | (0x0200_5efen << 32n) | inner,
  }
}
