/** A number, with an exponent or not: `typedNumber` writes very large and very small numbers with an exponent. */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** A number that a user typed, with a decimal point or comma; NaN for any other text. Spaces are ignored. */
export function readTyped(text: string): number {
  const plain = text
    .replace(/[\s\u00a0\u202f]/g, '')
    .replace('−', '-')
    .replace(',', '.')
  return DECIMAL.test(plain) ? Number(plain) : Number.NaN
}

/** A number as the user would type it, with all its digits. */
export const typedNumber = (value: number, decimalMark: '.' | ','): string => String(value).replace('.', decimalMark)
