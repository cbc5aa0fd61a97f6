import { type FieldError, formatCount, type ImportKey, LIMITS, problems } from '@storey/contract'
import { CsvError, parse } from 'csv-parse/sync'
import type { Sheet } from './sheets.ts'

type Cell = string | number | boolean

/** The rows of a CSV text (RFC 4180). Its header line names the fields of a row, in any order. */
export interface CsvRows {
  rows: Record<string, Cell>[]
  /** The indexes of rows with more or fewer cells than the header, each with the reason. */
  malformed: Map<number, string>
}

/** No sheet has this many columns. */
const MAX_CELLS = 100
/** The maximum length of a row in characters. A row can have several lines: quoted cells can contain line ends. */
const MAX_ROW_LENGTH = 256 * 1024
/** Empty lines are skipped, but they count for this limit. */
const MAX_LINES = 10 * LIMITS.bulkImportRows

const refused = (...details: string[]) =>
  problems.validation(details.map((detail): FieldError => ({ pointer: '', in: 'body', detail })))

export function readCsv(text: string, sheet: Sheet, matchBy: ImportKey = 'externalId'): CsvRows {
  const [header, ...records] = cellsOf(text)
  if (header === undefined) throw refused('the body has no header line, which names the fields, such as externalId')
  checkHeader(header, sheet, matchBy)
  if (records.length > LIMITS.bulkImportRows) {
    throw problems.field(sheet.list, `a CSV has at most ${formatCount(LIMITS.bulkImportRows)} rows`)
  }
  const malformed = new Map<number, string>()
  const rows = records.map((cells, index) => {
    if (cells.length !== header.length) {
      malformed.set(index, `the row has ${cells.length} cells where the header has ${header.length}`)
    }
    return rowOf(header, cells, sheet)
  })
  return { rows, malformed }
}

/** An empty cell is an absent field. */
function rowOf(header: readonly string[], cells: readonly string[], sheet: Sheet): Record<string, Cell> {
  const row: Record<string, Cell> = {}
  for (const [i, column] of header.entries()) {
    const cell = cells[i]
    if (cell !== undefined && cell !== '') row[column] = readCell(cell, sheet.valueTypes[column])
  }
  return row
}

/** A cell that does not have the type of its column stays a text, and the validation of the row reports it. */
function readCell(cell: string, type: 'number' | 'boolean' | undefined): Cell {
  if (type === 'number' && /^-?\d+(\.\d+)?$/.test(cell)) return Number(cell)
  if (type === 'boolean' && (cell === 'true' || cell === 'false')) return cell === 'true'
  return cell
}

function cellsOf(text: string): string[][] {
  const delimiter = delimiterOf(text)
  checkText(text, delimiter)
  try {
    return parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n'],
      skip_empty_lines: true,
      relax_column_count: true,
      // The header, all rows that are allowed, and one more, by which `readCsv` notices that there are too many.
      to: LIMITS.bulkImportRows + 2,
    })
  } catch (err) {
    // `checkText` has refused all other errors.
    if (!(err instanceof CsvError && err.code === 'CSV_QUOTE_NOT_CLOSED')) throw err
    const row = err.records === 0 ? 'the header' : `the row with index ${Number(err.records) - 1}`
    throw refused(`${row} opens a quote that is not closed`)
  }
}

/** The delimiter that is most frequent in the header line, outside quotes. */
function delimiterOf(text: string): string {
  const times = new Map([',', ';', '\t'].map((delimiter) => [delimiter, 0]))
  let quoted = false
  for (const character of text.replace(/^[\r\n]+/, '').slice(0, MAX_ROW_LENGTH)) {
    if (character === '"') quoted = !quoted
    if (quoted) continue
    if (character === '\n') break
    const count = times.get(character)
    if (count !== undefined) times.set(character, count + 1)
  }
  return [...times].reduce((best, next) => (next[1] > best[1] ? next : best))[0]
}

/**
 * Refuses a text that would take long to parse: a body of delimiters would become millions of cells, and a body of
 * quotes or line ends is parsed slowly. Also refuses a quote in the middle of a cell, because the parser names a wrong
 * line if CR LF occurs in an earlier cell.
 */
function checkText(text: string, delimiter: string): void {
  const [separator, quote, newline] = [delimiter.charCodeAt(0), 34, 10]
  let [line, rowLine, cells, quoted, rowFrom, cellFrom, lines] = [1, 1, 1, false, 0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (at - rowFrom > MAX_ROW_LENGTH) {
      const long = `the row that begins in line ${rowLine} has more than ${formatCount(MAX_ROW_LENGTH)} characters`
      throw refused(quoted ? `${long}: perhaps a quote in it is not closed` : long)
    }
    if (character === quote) {
      const isDoubled = quoted && text.charCodeAt(at + 1) === quote
      if (!isDoubled && !(quoted ? endsCell(text, at + 1, separator) : at === cellFrom)) {
        throw refused(
          `line ${line} has a quote in the middle of a cell: quote the whole cell, and double each quote in it`,
        )
      }
      if (isDoubled) at++
      else quoted = !quoted
    } else if (character === newline) {
      line++
      if (quoted) continue
      cells = 1
      rowLine = line
      rowFrom = cellFrom = at + 1
      if (++lines > MAX_LINES) throw refused(`the body has more than ${formatCount(MAX_LINES)} lines`)
    } else if (character === separator && !quoted) {
      cellFrom = at + 1
      if (++cells > MAX_CELLS) throw refused(`line ${line} has more than ${MAX_CELLS} cells`)
    }
  }
}

/** Whether a quoted cell may end before this position. */
function endsCell(text: string, at: number, separator: number): boolean {
  return at === text.length || text.charCodeAt(at) === separator || /^\r?\n/.test(text.slice(at, at + 2))
}

function checkHeader(header: readonly string[], { row, parent }: Sheet, matchBy: ImportKey): void {
  const fields = Object.keys(row.properties)
  const needed = [matchBy, ...(row.required as string[])]
  const details = [
    ...header.filter((name) => !fields.includes(name)).map((name) => `the column ${printable(name)} is not known`),
    ...fields.filter((f) => header.indexOf(f) !== header.lastIndexOf(f)).map((f) => `the column ${f} occurs twice`),
    ...needed.filter((field) => !header.includes(field)).map((field) => `the column ${field} is missing`),
  ]
  if (!header.includes(parent.id) && !header.includes(parent.externalId)) {
    details.push(`a column ${parent.id} or ${parent.externalId} is missing`)
  }
  if (details.length > 0) throw refused(...details.slice(0, 20))
}

const printable = (name: string) =>
  name.trim() === name && name !== '' ? name.slice(0, 100) : JSON.stringify(name.slice(0, 100))
