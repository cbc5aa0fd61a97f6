/** A number that a user typed, with a decimal point or comma; NaN if the text is not a number. Spaces are ignored. */
export function readTyped(text: string): number {
  const plain = text
    .replace(/[\s\u00a0\u202f]/g, '')
    .replace('−', '-')
    .replace(',', '.')
  return plain === '' ? Number.NaN : Number(plain)
}

/** A number as the user would type it, with all its digits. */
export const typedNumber = (value: number, decimalMark: '.' | ','): string => String(value).replace('.', decimalMark)
