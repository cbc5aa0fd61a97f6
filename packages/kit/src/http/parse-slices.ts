import { createYield } from '../yield-to-event-loop.ts'
import { decodeText, notJson, parseText, refusedBody, refuseNul } from './parse-json.ts'

const [QUOTE, BACKSLASH, COMMA, COLON, BRACKET, BRACE, BRACKET_END, BRACE_END] = [34, 92, 44, 58, 91, 123, 93, 125]

/** How many bytes are parsed in one step. This takes about 5 ms, whatever the content. */
const SLICE_BYTES = 64 * 1024
/** No field accepts a longer string or number. */
const MAX_SCALAR_BYTES = 1024 * 1024
/**
 * A large container that is nested deeper than this is parsed as a whole. It is refused if it is larger than
 * `MAX_DEEP_BYTES`, because no valid body has such a container.
 */
const MAX_LEVELS = 8
const MAX_DEEP_BYTES = 256 * 1024

/** Keeps byte order marks: `parseSlices` skips only a mark at the start of a body. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

interface Read {
  value: unknown
  end: number
}

/**
 * Parses a large JSON text to the same value as JSON.parse, and yields to other work between slices. A container that
 * is larger than a slice is parsed in groups of members. A member that is itself that large is parsed in the same way.
 * This code checks the structure between the groups; JSON.parse checks the groups themselves.
 */
export async function parseSlices(raw: Buffer): Promise<unknown> {
  const yieldIfDue = createYield()

  async function readContainer(at: number, path: readonly string[]): Promise<Read> {
    const isArray = raw[at] === BRACKET
    const close = isArray ? BRACKET_END : BRACE_END
    const members: unknown[] | Record<string, unknown> = isArray ? [] : {}
    let next = skipSpace(raw, at + 1)
    if (raw[next] === close) return { value: members, end: next + 1 }
    let groupAt = next
    const flush = async (end: number) => {
      if (end <= groupAt) return
      addGroup(members, decodeText(raw.subarray(groupAt, end), decoder), path)
      await yieldIfDue()
    }
    for (;;) {
      const memberAt = next
      const keyEnd = isArray ? memberAt : endOfString(raw, memberAt)
      const valueAt = isArray ? memberAt : afterColon(raw, keyEnd)
      let end = endOfValue(raw, valueAt, SLICE_BYTES)
      if (end === undefined && isContainer(raw[valueAt]) && path.length < MAX_LEVELS) {
        await flush(backOverComma(raw, memberAt, groupAt))
        const key = isArray ? String((members as unknown[]).length) : keyOf(raw, memberAt, keyEnd, path)
        const child = await readContainer(valueAt, [...path, key])
        put(members, key, child.value)
        end = child.end
        groupAt = end
      }
      end ??= endOfValue(raw, valueAt, isContainer(raw[valueAt]) ? MAX_DEEP_BYTES : MAX_SCALAR_BYTES)
      if (end === undefined) throw refusedBody('contains a value that is too large for any field')
      if (end === valueAt) throw notJson()
      next = skipSpace(raw, end)
      if (raw[next] === close) {
        await flush(end)
        return { value: members, end: next + 1 }
      }
      if (raw[next] !== COMMA) throw notJson()
      const isFull = end - groupAt >= SLICE_BYTES
      if (isFull) await flush(end)
      next = skipSpace(raw, next + 1)
      if (isFull || groupAt === end) groupAt = next
    }
  }

  const start = skipSpace(raw, raw[0] === 0xef && raw[1] === 0xbb && raw[2] === 0xbf ? 3 : 0)
  if (!isContainer(raw[start])) {
    if (raw.length > MAX_SCALAR_BYTES) throw refusedBody('contains a value that is too large for any field')
    return parseText(decodeText(raw))
  }
  const { value, end } = await readContainer(start, [])
  if (skipSpace(raw, end) !== raw.length) throw notJson()
  return value
}

/** Parses a group of members, with the commas between them, and adds them to their container. */
function addGroup(members: unknown[] | Record<string, unknown>, text: string, path: readonly string[]): void {
  if (Array.isArray(members)) {
    const group = parseText(`[${text}]`) as unknown[]
    const from = members.length
    for (const value of group) members.push(value)
    if (text.includes('\\u0000')) for (const [i, value] of group.entries()) refuseNul(value, [...path, `${from + i}`])
    return
  }
  const group = parseText(`{${text}}`) as Record<string, unknown>
  if (text.includes('\\u0000')) refuseNul(group, path)
  for (const key of Object.keys(group)) put(members, key, group[key])
}

function put(members: unknown[] | Record<string, unknown>, key: string, value: unknown): void {
  if (Array.isArray(members)) members.push(value)
  else if (key !== '__proto__') members[key] = value
  else Object.defineProperty(members, key, { value, writable: true, enumerable: true, configurable: true })
}

const isContainer = (byte: number | undefined) => byte === BRACKET || byte === BRACE

function keyOf(raw: Buffer, at: number, end: number, path: readonly string[]): string {
  const key = parseText(decodeText(raw.subarray(at, end), decoder)) as string
  refuseNul(key, path)
  return key
}

function afterColon(raw: Buffer, keyEnd: number): number {
  const colon = skipSpace(raw, keyEnd)
  if (raw[colon] !== COLON) throw notJson()
  return skipSpace(raw, colon + 1)
}

/** The position of the comma before a member; `groupAt` for the first member of a group. */
function backOverComma(raw: Buffer, memberAt: number, groupAt: number): number {
  let at = memberAt
  while (at > groupAt && raw[at - 1] !== COMMA) at--
  return at > groupAt ? at - 1 : at
}

function skipSpace(raw: Buffer, at: number): number {
  let i = at
  while (raw[i] === 32 || raw[i] === 10 || raw[i] === 13 || raw[i] === 9) i++
  return i
}

/** The position after the closing quote of the string at `at`. */
function endOfString(raw: Buffer, at: number, limit = MAX_SCALAR_BYTES): number {
  if (raw[at] !== QUOTE) throw notJson()
  const last = Math.min(raw.length, at + limit)
  for (let i = at + 1; i < last; i++) {
    const byte = raw[i]!
    if (byte === QUOTE) return i + 1
    if (byte === BACKSLASH) i++
  }
  throw last === raw.length ? notJson() : refusedBody('contains a name that is too large for any field')
}

/**
 * The position after the value at `at`; undefined if it is longer than `limit`. Brackets and braces are not
 * distinguished here, because the value is checked when it is parsed.
 */
export function endOfValue(raw: Buffer, at: number, limit: number): number | undefined {
  const last = Math.min(raw.length, at + limit)
  const tooLong = () => {
    if (last === raw.length) throw notJson()
    return undefined
  }
  const isNested = isContainer(raw[at])
  const isText = raw[at] === QUOTE
  let depth = 0
  for (let i = at; i < last; i++) {
    const byte = raw[i]!
    if (byte === QUOTE) {
      for (i++; i < last && raw[i] !== QUOTE; i++) if (raw[i] === BACKSLASH) i++
      if (i >= last) return tooLong()
      if (isText) return i + 1
    } else if (isContainer(byte)) depth++
    else if (byte === BRACKET_END || byte === BRACE_END) {
      if (!isNested) return i
      if (--depth === 0) return i + 1
    } else if (!isNested && (byte === COMMA || byte <= 32)) return i
  }
  return tooLong()
}
