import { NUMBER_DIGITS, type Term } from './search-words.ts'

/**
 * Returns a function that checks whether the number of a request, written as the word `sr000123`, contains a term.
 * Returns undefined if no number can contain the term. The index does not store these words, because checking the
 * numbers of 100,000 requests takes only 1 ms.
 */
export function numberMatcher(term: Term): ((number: number) => boolean) | undefined {
  const checks = term.map(checkOf).filter((check) => check !== undefined)
  if (checks.length < 2) return checks[0]
  return (number) => checks.some((check) => check(number))
}

function checkOf(sought: string): ((number: number) => boolean) | undefined {
  const [, before, letters, digits, after] = /^( ?)(|s|r|sr)([0-9]*)( ?)$/.exec(sought) ?? []
  if (letters === undefined || digits === undefined) return undefined
  const isFirst = letters === 'r' || letters === 'sr'
  if (digits === '') return after === '' && (before === '' || letters !== 'r') ? () => true : undefined
  // In the word ` sr000123 `, the letters `sr` follow the first blank, and no digit follows the `s`.
  if ((before === ' ' && letters !== 'sr') || letters === 's') return undefined
  const value = Number(digits)
  const size = 10 ** digits.length
  const isLast = after === ' '
  if (isFirst && isLast) return (number) => number === value && lengthOf(number) === digits.length
  return (number) => {
    const spare = lengthOf(number) - digits.length
    for (let offset = isFirst ? spare : 0; offset >= 0 && offset <= (isLast ? 0 : spare); offset++) {
      if (Math.floor(number / POWERS[offset]!) % size === value) return true
    }
    return false
  }
}

/** Precomputed, since computing powers of ten would take longer than the rest of the check. */
const POWERS = Array.from({ length: 20 }, (_, i) => 10 ** i)

function lengthOf(number: number): number {
  let length = NUMBER_DIGITS
  while (number >= POWERS[length]!) length += 1
  return length
}
