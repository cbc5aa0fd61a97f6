export type DecimalMark = '.' | ','

const YES = new Set(['true', 'yes', 'y', '1', 'да', 'истина', 'д', 'x', '✓'])
const NO = new Set(['false', 'no', 'n', '0', 'нет', 'ложь', 'н'])

/** Whether a text means yes or no, in English or Russian or as a sign such as 1 or ✓; undefined for other texts. */
export function readYesOrNo(text: string): boolean | undefined {
  const word = text.toLowerCase()
  return YES.has(word) ? true : NO.has(word) ? false : undefined
}

/**
 * Reads a number such as 1 234,5 or 1.234,5; NaN for any other text. The digits can be grouped by spaces, by
 * apostrophes, or by whichever of `.` and `,` is not the decimal mark.
 */
export function readNumber(text: string, decimalMark: DecimalMark): number {
  const other = decimalMark === ',' ? '.' : ','
  const compact = text.replace(/[\s\u00a0\u202f']/g, '').replace('−', '-')
  const hasGroups = compact.includes(other)
  if (hasGroups && !new RegExp(`^[-+]?\\d{1,3}(\\${other}\\d{3})+(\\${decimalMark}\\d+)?$`).test(compact))
    return Number.NaN
  const plain = compact.replaceAll(other, '').replace(decimalMark, '.')
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : Number.NaN
}

/**
 * The decimal mark of the cells. A cell determines the decimal mark if it contains a comma, and `readNumber` can read
 * it with only one of the two decimal marks. The first such cell is used. If there is none, the decimal mark is `.`.
 */
export function guessDecimalMark(cells: Iterable<string>): DecimalMark {
  for (const cell of cells) {
    if (!cell.includes(',')) continue
    const [withPoint, withComma] = [readNumber(cell, '.'), readNumber(cell, ',')]
    if (Number.isNaN(withPoint) && Number.isFinite(withComma)) return ','
    if (Number.isNaN(withComma) && Number.isFinite(withPoint)) return '.'
  }
  return '.'
}
