/** Byte classes: which bytes can be part of words and numbers. */
export const WORD = 1
export const DIGIT = 2
export const NUMBER = 4

export const kinds = new Uint8Array(256)
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_') kinds[char.charCodeAt(0)] = WORD
for (const char of '0123456789') kinds[char.charCodeAt(0)] = WORD | DIGIT | NUMBER
for (const char of '+-.Ee') kinds[char.charCodeAt(0)]! |= NUMBER
// The words that begin and end the file have hyphens: ISO-10303-21.
kinds['-'.charCodeAt(0)]! |= WORD

const FORM = /^[+-]?\d+(\.\d*)?([Ee][+-]?\d+)?$/
const WHOLE = /^[+-]?\d+$/

/** Larger than any quantity of a building, in any unit. */
const MAX_VALUE = 1e50

/**
 * What is wrong with a number, or null. An integer may have up to 19 characters. Other numbers must be below 1e50,
 * which is checked only if they have an exponent or at least 300 characters.
 */
export function numberError(bytes: Buffer, from: number, to: number): string | null {
  if (isPlain(bytes, from, to)) return null
  const text = bytes.toString('latin1', from, to)
  if (!FORM.test(text)) return 'not well formed'
  const tooLarge = !(Math.abs(Number(text)) < MAX_VALUE) || (WHOLE.test(text) && text.length > 19)
  return tooLarge ? 'out of range' : null
}

/** True only for a valid number without an exponent. Nearly all numbers of a file pass. The check creates no string. */
function isPlain(bytes: Buffer, from: number, to: number): boolean {
  const digits = from + (kinds[bytes[from]!]! & DIGIT ? 0 : 1)
  let at = digits
  while (at < to && kinds[bytes[at]!]! & DIGIT) at++
  if (at === digits) return false
  if (at === to) return to - digits <= 18
  if (bytes[at] !== 46) return false
  at++
  while (at < to && kinds[bytes[at]!]! & DIGIT) at++
  return at === to && to - from < 300
}
