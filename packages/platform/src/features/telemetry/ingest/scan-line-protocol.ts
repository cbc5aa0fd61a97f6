import { type FieldError, formatCount, MAX_FIELD_ERRORS, problems } from '@storey/contract'
import {
  checkSource,
  checkText,
  checkTime,
  isAcceptedTime,
  type NoteError,
  type ScanTimes,
} from './check-observation.ts'
import type { ExternalIdIndex } from './external-id-index.ts'
import { isInteger, readBoolean, unescapeName, unescapeText } from './line-protocol-values.ts'
import { clear, type Observations } from './observations.ts'
import { type PointIndex, UUID_LENGTH } from './point-index.ts'
import { type Precision, readEpoch } from './read-epoch.ts'
import { readNumber } from './read-number.ts'
import { scanPlainLines } from './scan-plain-lines.ts'
import { LineCounter, MAX_LINE_BYTES, makeRoom, type Scan, startOfText } from './scanned.ts'
import { SourceNames } from './source-names.ts'

const [NEWLINE, RETURN, SPACE, TAB, QUOTE, HASH, COMMA, EQUALS, BACKSLASH] = [10, 13, 32, 9, 34, 35, 44, 61, 92]
const [LETTER_I, LETTER_U] = [105, 117]
const [POINT, SOURCE, VALUE] = ['point', 'source', 'value'].map((name) => Buffer.from(name)) as [Buffer, Buffer, Buffer]

/** Bytes that are scanned in one step, which takes a millisecond or two. */
const STEP_BYTES = 128 * 1024

/** The maximum number of unknown points that a refusal lists. They take about 10 MB of memory. */
const MAX_UNKNOWN = 100_000

/** A line that is not line protocol; the message has the reason. */
class BadLine extends Error {}

export interface LineProtocolOptions extends ScanTimes {
  points: PointIndex
  externalIds: ExternalIdIndex
  precision: Precision
}

/**
 * Reads InfluxDB line protocol in one pass over its bytes, straight into columns: no object is created for a line. The
 * measurement or the tag `point` names the point, and the field `value` has its value.
 */
export function* scanLineProtocol(body: Buffer, options: LineProtocolOptions, columns: Observations): Scan {
  const bytes = body
  const { points, externalIds, precision, now, latest } = options
  clear(columns)
  let { points: numbers, times, values } = columns
  const unknown = new Set<string>()
  const errors: FieldError[] = []
  const sources = new SourceNames(columns)
  const lines = new LineCounter(bytes)
  let at = startOfText(body)
  let begin = at
  let count = 0
  let [unknownFrom, unknownTo] = [0, 0]

  const addError = (pointer: string, detail: string): void => {
    const line = lines.lineAt(begin)
    errors.push({ pointer: `/observations/${count}${pointer}`, in: 'body', line, detail: `line ${line}: ${detail}` })
  }
  const note: NoteError = (field, detail) => addError(`/${field}`, `${field} ${detail}`)

  /** The end of a name: a comma, a space, a line end, or an equals sign. */
  function endOfName(from: number): number {
    for (let i = from; ; i++) {
      if (i - begin > MAX_LINE_BYTES) throw tooLong()
      const byte = bytes[i]
      if (byte === COMMA || byte === EQUALS || byte === SPACE || byte === NEWLINE || byte === undefined) return i
      if (byte === BACKSLASH && bytes[i + 1] !== NEWLINE && i + 1 < bytes.length) i++
    }
  }
  /** A measurement may contain an equals sign. */
  function endOfMeasurement(from: number): number {
    let end = endOfName(from)
    while (bytes[end] === EQUALS) end = endOfName(end + 1)
    return end
  }
  const isName = (name: Buffer, from: number, to: number): boolean => {
    if (to - from !== name.length) return false
    for (let i = 0; i < name.length; i++) if (bytes[from + i] !== name[i]) return false
    return true
  }
  const nameText = (from: number, to: number): string => unescapeName(bytes.toString('utf8', from, to))

  /** The number of the point with this id or `sourceSystem:externalId`; 0 if there is no such point. */
  function findPoint(from: number, to: number): number {
    // The last unknown point is compared first, because consecutive lines often name the same point.
    if (unknownTo > 0 && bytes.compare(bytes, unknownFrom, unknownTo, from, to) === 0) return 0
    if (to - from === UUID_LENGTH) {
      const number = points.find(bytes, from)
      if (number !== 0) return number
    }
    const found = externalIds.find(bytes, from, to)
    if (found !== 0) return found
    const text = nameText(from, to)
    const plain = Buffer.from(text)
    const number = plain.length === to - from ? 0 : externalIds.find(plain, 0, plain.length)
    if (number === 0) {
      unknown.add(text)
      unknownFrom = from
      unknownTo = to
    }
    return number
  }

  /** Reads the tags after the measurement. Returns the number of the point if the tag `point` names it. */
  function readTags(): number | undefined {
    let number: number | undefined
    let hasSource = false
    while (bytes[at] === COMMA) {
      const key = at + 1
      const keyEnd = endOfName(key)
      if (bytes[keyEnd] !== EQUALS || keyEnd === key) throw new BadLine('a tag must be name=value')
      const from = keyEnd + 1
      at = endOfName(from)
      if (at === from) throw new BadLine(`the tag ${shown(key, keyEnd)} has no value`)
      if (bytes[at] === EQUALS) throw new BadLine(`the tag ${shown(key, keyEnd)} has an = without a backslash`)
      if (isName(POINT, key, keyEnd)) {
        if (number !== undefined) throw new BadLine('the tag point occurs twice')
        number = findPoint(from, at)
      } else if (isName(SOURCE, key, keyEnd)) {
        if (hasSource) throw new BadLine('the tag source occurs twice')
        hasSource = true
        const text = nameText(from, at)
        checkSource(text, note)
        sources.set(count, text)
      }
    }
    return number
  }

  function readFields(): void {
    let hasValue = false
    for (;;) {
      const key = at
      const keyEnd = endOfName(key)
      if (bytes[keyEnd] !== EQUALS || keyEnd === key) throw new BadLine('a field must be name=value')
      if (!isName(VALUE, key, keyEnd)) {
        throw new BadLine(`the field ${shown(key, keyEnd)} is not known: only value is stored`)
      }
      if (hasValue) throw new BadLine('the field value occurs twice')
      hasValue = true
      at = keyEnd + 1
      readValue()
      if (bytes[at] !== COMMA) return
      at++
    }
  }

  function readValue(): void {
    const from = at
    // Digits, a decimal point and a minus sign: the usual value of a sensor.
    let byte = bytes[at]
    while (byte !== undefined && ((byte >= 48 && byte <= 57) || byte === 46 || byte === 45)) byte = bytes[++at]
    if (at - begin > MAX_LINE_BYTES) throw tooLong()
    if (isEnd(byte)) {
      const value = readNumber(bytes, from, at)
      if (Number.isNaN(value)) throw notValue()
      values[count] = value
    } else if ((byte === LETTER_I || byte === LETTER_U) && at > from && isEnd(bytes[at + 1])) {
      if (!isInteger(bytes.toString('latin1', from, at), byte === LETTER_U)) {
        throw new BadLine('value is not an integer of 64 bits')
      }
      values[count] = readNumber(bytes, from, at)
      at++
    } else if (bytes[from] === QUOTE) {
      readText(from + 1)
    } else readWord(from)
  }

  /** Reads a text in quotes. If the text is a number, it is stored as a number, as in the JSON form of an ingest. */
  function readText(from: number): void {
    let end = from
    for (; bytes[end] !== QUOTE; end++) {
      if (bytes[end] === undefined) throw new BadLine('a text has no closing quote')
      if (end - begin > MAX_LINE_BYTES) throw tooLong()
      if (bytes[end] === BACKSLASH) end++
    }
    at = end + 1
    if (!isEnd(bytes[at])) throw new BadLine('a text is followed by other characters')
    setText(unescapeText(bytes.toString('utf8', from, end)))
  }

  /** Reads a boolean, or a number with an exponent. */
  function readWord(from: number): void {
    at = from
    while (!isEnd(bytes[at])) at++
    if (at - begin > MAX_LINE_BYTES) throw tooLong()
    const value = readNumber(bytes, from, at)
    if (!Number.isNaN(value)) {
      values[count] = value
      return
    }
    const word = at - from > 5 ? undefined : readBoolean(bytes.toString('latin1', from, at))
    if (word === undefined) throw notValue()
    setText(word)
  }

  function setText(text: string): void {
    const plain = Buffer.from(text)
    const value = readNumber(plain, 0, plain.length)
    values[count] = value
    if (!Number.isNaN(value)) return
    checkText(text, note)
    columns.texts.set(count, text)
  }

  function readTimestamp(): void {
    const from = at
    while (!isEnd(bytes[at])) at++
    if (at - begin > MAX_LINE_BYTES) throw tooLong()
    const time = readEpoch(bytes, from, at, precision)
    if (Number.isNaN(time)) throw new BadLine(`the timestamp must be a whole number of ${precision}`)
    if (!isAcceptedTime(time, latest)) checkTime(time, latest, note)
    times[count] = time
  }

  function readLine(): void {
    const from = at
    let number: number | undefined
    const behindId = bytes[at + UUID_LENGTH]
    if (behindId === SPACE) number = points.find(bytes, at) || undefined
    at = number === undefined ? endOfMeasurement(from) : from + UUID_LENGTH
    const end = at
    if (end === from) throw new BadLine('the measurement is missing')
    if (number === undefined) number = readTags() ?? findPoint(from, end)
    numbers[count] = number
    if (bytes[at] !== SPACE) throw new BadLine('there is no field: a line is measurement[,tags] value=… [timestamp]')
    while (bytes[at] === SPACE) at++
    readFields()
    while (bytes[at] === SPACE) at++
    times[count] = now
    if (!isLineEnd(bytes[at])) readTimestamp()
    while (bytes[at] === SPACE || bytes[at] === TAB || bytes[at] === RETURN) at++
    if (bytes[at] !== NEWLINE && bytes[at] !== undefined)
      throw new BadLine('the timestamp is followed by other characters')
  }

  const shown = (from: number, to: number): string => {
    const name = nameText(from, Math.min(to, from + 200))
    return name.length > 60 ? `${name.slice(0, 60)}…` : name
  }

  const plain = { points, externalIds, precision, now, latest }
  const cursor = { at, count }
  const isGood = () => errors.length < MAX_FIELD_ERRORS && unknown.size < MAX_UNKNOWN
  for (let next = at + STEP_BYTES; at < bytes.length && isGood(); ) {
    if (at >= next) {
      next = at + STEP_BYTES
      yield
    }
    at = endOfBlank(bytes, at, Math.min(next, bytes.length))
    if (at >= next || at >= bytes.length) continue
    begin = at
    if (bytes[at] === HASH) {
      at = endOfLine(bytes, at)
      continue
    }
    cursor.at = at
    cursor.count = count
    scanPlainLines(bytes, cursor, Math.min(next, bytes.length), plain, columns)
    if (cursor.at > at) {
      at = cursor.at
      count = cursor.count
      continue
    }
    if (count >= numbers.length) {
      makeRoom(columns)
      numbers = columns.points
      times = columns.times
      values = columns.values
    }
    try {
      readLine()
    } catch (err) {
      if (!(err instanceof BadLine)) throw err
      addError('', err.message)
      at = endOfLine(bytes, begin)
    }
    count++
  }
  if (count === 0) throw problems.field('observations', 'the body has no observations: send at least one')
  columns.count = count
  return { observations: columns, unknown: [...unknown], errors }
}

/** The index of the first byte that is not white space. */
function endOfBlank(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end) {
    const byte = bytes[at]
    if (byte !== NEWLINE && byte !== SPACE && byte !== RETURN && byte !== TAB) break
    at++
  }
  return at
}

/** Whether a value or a timestamp ends before this byte. */
function isEnd(byte: number | undefined): boolean {
  return byte === SPACE || byte === NEWLINE || byte === COMMA || byte === undefined || byte === RETURN
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === NEWLINE || byte === undefined || byte === RETURN
}

function endOfLine(bytes: Buffer, from: number): number {
  const newline = bytes.indexOf(NEWLINE, from)
  return newline < 0 ? bytes.length : newline
}

const tooLong = () => new BadLine(`the line has more than ${formatCount(MAX_LINE_BYTES)} bytes`)

const notValue = () =>
  new BadLine('value must be a number such as 21.5, an integer such as 5i, a text such as "on", true or false')
