import { NUMBER_DIGITS, type Term } from './search-words.ts'

/**
 * Tells whether the number of a request, as the word `sr000123`, holds a term; undefined when none can. Every request has
 * such a word of its own: by arithmetic 100,000 are asked in 1 ms, and none is kept.
 */
export function numbersHolding(term: Term): ((number: number) => boolean) | undefined {
  const checks = term.map(checkOf).filter((check) => check !== undefined)
  if (checks.length < 2) return checks[0]
  return (number) => checks.some((check) => check(number))
}

function checkOf(sought: string): ((number: number) => boolean) | undefined {
  const [, before, letters, digits, after] = /^( ?)(|s|r|sr)([0-9]*)( ?)$/.exec(sought) ?? []
  if (letters === undefined || digits === undefined) return undefined
  const isFirst = letters === 'r' || letters === 'sr'
  if (digits === '') return after === '' && (before === '' || letters !== 'r') ? () => true : undefined
  // Digits stand behind the letters, and nothing else does.
  if ((before === ' ' && letters !== 'sr') || letters === 's') return undefined
  const value = Number(digits)
  const size = 10 ** digits.length
  const isLast = after === ' '
  if (isFirst && isLast) return (number) => number === value && lengthOf(number) === digits.length
  return (number) => {
    const spare = lengthOf(number) - digits.length
    for (let passed = isFirst ? spare : 0; passed >= 0 && passed <= (isLast ? 0 : spare); passed++) {
      if (Math.floor(number / POWERS[passed]!) % size === value) return true
    }
    return false
  }
}

/** To raise ten to a power anew for each request takes longer than all the rest. */
const POWERS = Array.from({ length: 20 }, (_, i) => 10 ** i)

function lengthOf(number: number): number {
  let length = NUMBER_DIGITS
  while (number >= POWERS[length]!) length += 1
  return length
}
