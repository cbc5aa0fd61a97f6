import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { IfcError } from '../ifc-error.ts'
import { notStep } from './file-kind.ts'
import type { LineTable } from './line-table.ts'
import { StepScanner } from './scanner.ts'

const CHUNK_BYTES = 1 << 20
const MAX_BYTES = 2 ** 31

export interface StepFile {
  schema: string
  lines: LineTable
  /** The offsets at which the data sections begin and end. */
  dataFrom: number
  dataTo: number
}

/** Checks the syntax of a whole file and returns the positions of its entities. */
export function readStepFile(path: string): StepFile {
  const file = openSync(path, 'r')
  try {
    return scan(file)
  } finally {
    closeSync(file)
  }
}

function scan(file: number): StepFile {
  const size = fstatSync(file).size
  if (size === 0) throw new IfcError('The file is empty')
  if (size > MAX_BYTES) throw new IfcError('The file is larger than 2 GB')
  const bytes = Buffer.allocUnsafe(CHUNK_BYTES)
  const scanner = new StepScanner()
  let kept = 0
  let position = 0
  while (!scanner.done) {
    const read = readSync(file, bytes, kept, CHUNK_BYTES - kept, position)
    if (position === 0) blankStart(bytes, read)
    position += read
    const end = kept + read
    const taken = scanner.scan(bytes, end, read === 0)
    kept = end - taken
    if (read === 0) break
    bytes.copy(bytes, 0, taken, end)
  }
  scanner.finish()
  if (scanner.dataFrom === null) throw new IfcError('The file has no DATA section')
  const twice = scanner.lines.close()
  if (twice !== null)
    throw new IfcError(`Line ${lineAt(file, twice)} of the file defines an id that was defined before`)
  return { schema: scanner.schema!, lines: scanner.lines, dataFrom: scanner.dataFrom, dataTo: scanner.dataTo }
}

/** Throws unless the file begins like a STEP file. Replaces a byte order mark at the beginning by blanks. */
function blankStart(bytes: Buffer, length: number): void {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes.fill(' ', 0, 3)
  const start = bytes.toString('latin1', 0, Math.min(length, 4096)).trimStart()
  if (start === '') throw new IfcError('The file is empty')
  if (!/^(ISO-10303-21|\/\*)/i.test(start)) throw notStep(start)
}

function lineAt(file: number, offset: number): number {
  const bytes = Buffer.allocUnsafe(CHUNK_BYTES)
  let line = 1
  for (let position = 0; position < offset; position += CHUNK_BYTES) {
    const read = readSync(file, bytes, 0, Math.min(CHUNK_BYTES, offset - position), position)
    for (let at = 0; at < read; at++) if (bytes[at] === 10) line++
  }
  return line
}
