/** A row of a table. */
export interface TextRow {
  /** The number that a spreadsheet shows beside the row, from 1. */
  number: number
  cells: readonly string[]
}

const DELIMITERS = ['\t', ';', ','] as const

/**
 * Reads a table from a CSV file or from cells that were copied in a spreadsheet. Empty rows are left out. A quote in the
 * middle of a cell is part of the text.
 */
export function parseTable(text: string): TextRow[] {
  const records = recordsOf(text.replace(/^\uFEFF/, ''), delimiterOf(text))
  return records
    .map((cells, i) => ({ number: i + 1, cells: cells.map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
}

/**
 * The delimiter that is most frequent in the first line. The comma is returned only if it is more frequent than every
 * other delimiter, because numbers may contain commas.
 */
export function delimiterOf(text: string): string {
  const line = /[^\r\n]+/.exec(text)?.[0].replace(/"[^"]*"/g, '') ?? ''
  const countOf = (delimiter: string) => line.split(delimiter).length
  return DELIMITERS.reduce((best, next) => (countOf(next) > countOf(best) ? next : best))
}

function recordsOf(text: string, delimiter: string): string[][] {
  const records: string[][] = [[]]
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    records.at(-1)!.push(cell)
    cell = ''
  }
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (text[i + 1] === '"') cell += text[++i]
      else isQuoted = false
    } else if (character === '"' && cell.trim() === '') {
      isQuoted = true
      cell = ''
    } else if (character === delimiter) endCell()
    else if (character === '\n' || character === '\r') {
      if (character === '\r' && text[i + 1] === '\n') i++
      endCell()
      records.push([])
    } else cell += character
  }
  endCell()
  return records
}
