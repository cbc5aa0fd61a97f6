import { type FieldError, formatCount, MAX_FIELD_ERRORS, problems } from '@storey/contract'
import {
  checkSource,
  checkText,
  checkTime,
  isAcceptedTime,
  type NoteError,
  type ScanTimes,
} from './check-observation.ts'
import { clear, type Observations } from './observations.ts'
import { type PointIndex, UUID_LENGTH } from './point-index.ts'
import { readNumber } from './read-number.ts'
import { readTime } from './read-time.ts'
import { scanPlainObjects } from './scan-plain-objects.ts'
import {
  LineCounter,
  MAX_STRING_BYTES,
  makeRoom,
  type Scan,
  type Scanned,
  STEP,
  scanAtOnce,
  scanInSteps,
  startOfText,
} from './scanned.ts'
import { SourceNames } from './source-names.ts'

/**
 * The body does not have the plain form (UTF-8 JSON with the known fields only, each a string), so it is nearly always
 * invalid. A small JSON document is then parsed (`forms.ts`), to report all errors.
 */
export class NotPlain extends Error {
  /** The observation that is not plain, and the byte at which it begins. Absent if the error is in no observation. */
  readonly place: { index: number; at: number } | undefined
  constructor(place?: { index: number; at: number }) {
    super('not plain')
    this.place = place
  }
}

const [QUOTE, BACKSLASH, BRACE, BRACE_END, BRACKET, BRACKET_END, COLON, COMMA] = [34, 92, 123, 125, 91, 93, 58, 44]
const NEWLINE = 10

const [POINT_ID, VALUE, TIMESTAMP, SOURCE] = [1, 2, 4, 8]
const KEYS = new Map<number, Parameters<NoteError>[0]>([
  [POINT_ID, 'pointId'],
  [VALUE, 'value'],
  [TIMESTAMP, 'timestamp'],
  [SOURCE, 'source'],
])
/** The keys by their first letter. The rest of a key is compared afterwards. */
const KEY_OF = new Map([...KEYS].map(([flag, name]) => [name.charCodeAt(0), { flag, bytes: Buffer.from(`${name}"`) }]))

/** One JSON document, or a JSON object on each line (NDJSON). */
export type JsonForm = 'document' | 'lines'

/** Scans the whole body without pauses. The columns are valid until the next call. */
export function scanObservations(
  body: Buffer,
  points: PointIndex,
  time: ScanTimes,
  form: JsonForm = 'document',
): Scanned {
  return scanAtOnce((columns) => scanSteps(body, points, time, columns, form === 'lines'))
}

/** Scans a large body in steps, between which other requests run. The columns are not shared. */
export function scanInTurns(
  body: Buffer,
  points: PointIndex,
  time: ScanTimes,
  form: JsonForm = 'document',
): Promise<Scanned> {
  return scanInSteps((columns) => scanSteps(body, points, time, columns, form === 'lines'))
}

/**
 * Reads the body of an ingest in one pass over its bytes, straight into columns. No object is created for an
 * observation. A string is created only for a source, for a value that is not a number, and for a field of an unusual
 * form.
 */
function* scanSteps(
  body: Buffer,
  points: PointIndex,
  { now, latest }: ScanTimes,
  columns: Observations,
  isLines: boolean,
): Scan {
  const bytes = body
  clear(columns)
  let { points: numbers, times, values } = columns
  const unknown = new Set<string>()
  const errors: FieldError[] = []
  const sources = new SourceNames(columns)
  const lines = new LineCounter(bytes)
  let at = startOfText(body)
  let count = 0
  let begin = at
  /** The position of the last newline. A string cannot contain one. */
  let newline = -1

  const skip = (): number => {
    // A local variable is faster, which matters if a body consists of spaces.
    let i = at
    let byte = bytes[i]!
    while (byte === 32 || byte === NEWLINE || byte === 13 || byte === 9) {
      if (byte === NEWLINE) newline = i
      byte = bytes[++i]!
    }
    at = i
    return byte
  }
  const expect = (wanted: number): void => {
    if (bytes[at] !== wanted && skip() !== wanted) throw new NotPlain()
    at++
  }
  const note: NoteError = (field, detail) => {
    if (errors.length < MAX_FIELD_ERRORS) errors.push(errorAt(count, field, detail))
  }

  function errorAt(i: number, field: string, detail: string): FieldError {
    const pointer = `/observations/${i}/${field}`
    if (!isLines) return { pointer, in: 'body', detail: `observations.${i}.${field} ${detail}` }
    const line = lines.lineAt(begin)
    return { pointer, in: 'body', line, detail: `line ${line}: ${field} ${detail}` }
  }

  /** Reads the value of a field if this value does not have the usual form, for example because it has an escape. */
  function readOther(flag: number): void {
    const from = at
    at = endOfString(bytes, from)
    if (at - from > MAX_STRING_BYTES) {
      at++
      return void note(KEYS.get(flag)!, `has more than ${formatCount(MAX_STRING_BYTES)} bytes`)
    }
    const text = textOf(bytes, from, at++)
    if (flag === POINT_ID) {
      const plain = Buffer.from(text)
      numbers[count] = plain.length === UUID_LENGTH ? points.find(plain, 0) : 0
      if (numbers[count] === 0) unknown.add(text)
    } else if (flag === TIMESTAMP) {
      const plain = Buffer.from(text)
      setTime(readTime(plain, 0, plain.length))
    } else if (flag === VALUE) {
      const plain = Buffer.from(text)
      values[count] = readNumber(plain, 0, plain.length)
      if (Number.isNaN(values[count])) setText(text)
    } else {
      checkSource(text, note)
      sources.set(count, text)
    }
  }
  function setTime(time: number): void {
    checkTime(time, latest, note)
    times[count] = time
  }
  function setText(text: string): void {
    checkText(text, note)
    columns.texts.set(count, text)
  }

  /** Reads a key. The position is after the opening quote. */
  function readKey(): number {
    const key = KEY_OF.get(bytes[at]!)
    if (key === undefined) return readOtherKey()
    const { flag, bytes: name } = key
    for (let i = 1; i < name.length; i++) if (bytes[at + i] !== name[i]) return readOtherKey()
    at += name.length
    return flag
  }
  /** Reads a key that has escapes or is unknown. */
  function readOtherKey(): number {
    const name = readName()
    for (const [flag, known] of KEYS) if (name === known) return flag
    throw new NotPlain()
  }
  function readName(): string {
    const from = at
    at = endOfString(bytes, from)
    if (at - from > MAX_STRING_BYTES) throw new NotPlain()
    return textOf(bytes, from, at++)
  }

  /** Checks that the object was within one line, and that nothing follows it on that line. */
  function endLine(): void {
    if (newline > begin) throw new NotPlain()
    let byte = bytes[at]
    while (byte === 32 || byte === 13 || byte === 9) byte = bytes[++at]
    if (byte !== NEWLINE && byte !== undefined) throw new NotPlain()
  }

  if (!isLines) {
    expect(BRACE)
    expect(QUOTE)
    if (readName() !== 'observations') throw new NotPlain()
    expect(COLON)
    expect(BRACKET)
    if (skip() === BRACKET_END) throw problems.field('observations', 'observations is empty: send at least one')
  }
  begin = at
  const plain = { points, separator: isLines ? NEWLINE : COMMA, latest }
  const cursor = { at, count }
  try {
    for (;;) {
      if (isLines) skip()
      cursor.at = at
      cursor.count = count
      // Objects of the usual form are read up to the end of the step, or of the columns.
      const stepEnd = (Math.floor(count / STEP) + 1) * STEP - 1
      scanPlainObjects(bytes, cursor, Math.min(stepEnd, numbers.length), plain, columns)
      at = cursor.at
      count = cursor.count
      if (skip() !== BRACE) {
        if (isLines && bytes[at] === undefined) break
        begin = at
        throw new NotPlain()
      }
      if (count % STEP === STEP - 1) yield
      begin = at++
      if (count >= numbers.length) {
        makeRoom(columns)
        numbers = columns.points
        times = columns.times
        values = columns.values
      }
      let seen = 0
      times[count] = now
      for (;;) {
        expect(QUOTE)
        const flag = readKey()
        if ((seen & flag) !== 0) throw problems.validation([errorAt(count, KEYS.get(flag)!, 'occurs twice')])
        seen |= flag
        expect(COLON)
        expect(QUOTE)
        if (flag === POINT_ID && bytes[at + UUID_LENGTH] === QUOTE) {
          const number = points.find(bytes, at)
          if (number === 0) readOther(flag)
          else {
            numbers[count] = number
            at += UUID_LENGTH + 1
          }
        } else if (flag === VALUE) {
          // Digits, a decimal point and a minus sign, up to the quote: the usual value of a sensor.
          const from = at
          let byte = bytes[at]!
          while ((byte >= 48 && byte <= 57) || byte === 46 || byte === 45) byte = bytes[++at]!
          const value = byte === QUOTE ? readNumber(bytes, from, at) : Number.NaN
          if (Number.isNaN(value)) {
            at = from
            readOther(flag)
          } else {
            values[count] = value
            at++
          }
        } else if (flag === TIMESTAMP && bytes[at + 24] === QUOTE && bytes[at + 23] === 90) {
          const time = readTime(bytes, at, at + 24)
          if (isAcceptedTime(time, latest)) {
            times[count] = time
            at += 25
          } else readOther(flag)
        } else readOther(flag)
        const next = bytes[at] === COMMA ? COMMA : skip()
        at++
        if (next === BRACE_END) break
        if (next !== COMMA) throw new NotPlain()
      }
      if ((seen & POINT_ID) === 0) note('pointId', 'is required')
      if ((seen & VALUE) === 0) note('value', 'is required')
      if (isLines) {
        endLine()
        count++
        continue
      }
      count++
      const next = bytes[at] === COMMA ? COMMA : skip()
      at++
      if (next === BRACKET_END) break
      if (next !== COMMA) throw new NotPlain()
    }
  } catch (err) {
    throw err instanceof NotPlain ? new NotPlain({ index: count, at: begin }) : err
  }
  if (isLines) {
    if (count === 0) throw problems.field('observations', 'the body has no observations: send at least one')
  } else {
    expect(BRACE_END)
    if (skip() !== undefined) throw new NotPlain()
  }
  columns.count = count
  return { observations: columns, unknown: [...unknown], errors }
}

/** The position of the quote that ends a string. */
function endOfString(bytes: Buffer, from: number): number {
  for (let at = from; ; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) return at
    if (byte === undefined || byte < 32) throw new NotPlain()
    if (byte === BACKSLASH) at++
  }
}

function textOf(bytes: Buffer, from: number, to: number): string {
  const text = bytes.toString('utf8', from, to)
  if (!text.includes('\\')) return text
  try {
    const read = JSON.parse(`"${text}"`) as string
    if (read.isWellFormed()) return read
  } catch {}
  throw new NotPlain()
}
