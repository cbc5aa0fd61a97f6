/** The size limit of a message on the errors topic. All common brokers accept a message of this size. */
export const MAX_ERROR_BYTES = 16 * 1024
/** The maximum number of bytes of a string in JSON, without the `…` after a truncated string. */
const MAX_TEXT = 2_000
/** JSON writes a control character as `\u0001`. */
const MAX_BYTES_OF_CHARACTER = 6
const MAX_LIST_BYTES = 4 * 1024
/** Members of an error that are always kept. Other members are dropped when the error is too large. */
const NEEDED = ['type', 'title', 'status', 'detail', 'code', 'requestId', 'message']

/**
 * Writes an error as JSON of at most `MAX_ERROR_BYTES`. Lists are truncated, and `leftOut` counts the missing entries,
 * including those that the stack left out.
 */
export function boundRefusal({ leftOut: before, ...refusal }: Record<string, unknown>): string {
  const leftOut: Record<string, number> = {}
  const bounded: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(refusal)) {
    if (!Array.isArray(value)) {
      bounded[name] = bound(value)
      continue
    }
    const entries = fitting(value)
    const missing = value.length - entries.length + leftOutOf(before, name)
    bounded[name] = entries
    if (missing > 0) leftOut[name] = missing
  }
  if (Object.keys(leftOut).length > 0) bounded.leftOut = leftOut
  const text = JSON.stringify(bounded)
  if (Buffer.byteLength(text) <= MAX_ERROR_BYTES) return text
  return JSON.stringify(Object.fromEntries(NEEDED.map((name) => [name, bounded[name]])))
}

function leftOutOf(before: unknown, name: string): number {
  const count = (before as Record<string, unknown> | null | undefined)?.[name]
  return typeof count === 'number' ? count : 0
}

function fitting(list: readonly unknown[]): unknown[] {
  const entries: unknown[] = []
  let bytes = 0
  for (const value of list) {
    const entry = bound(value)
    bytes += Buffer.byteLength(JSON.stringify(entry) ?? 'null') + 1
    if (bytes > MAX_LIST_BYTES) break
    entries.push(entry)
  }
  return entries
}

/**
 * Truncates a string, or the names and strings of an object, to at most `MAX_TEXT` bytes of JSON each. An object that
 * is still larger than `MAX_LIST_BYTES` becomes null.
 */
function bound(value: unknown): unknown {
  if (typeof value === 'string') return boundText(value)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, member]) => [
    boundText(name),
    typeof member === 'string' ? bound(member) : member,
  ])
  const bounded = Object.fromEntries(entries)
  return Buffer.byteLength(JSON.stringify(bounded)) > MAX_LIST_BYTES ? null : bounded
}

function boundText(text: string): string {
  if (text.length * MAX_BYTES_OF_CHARACTER <= MAX_TEXT) return text
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += Buffer.byteLength(JSON.stringify(character)) - 2
    if (bytes > MAX_TEXT) return `${text.slice(0, end)}…`
    end += character.length
  }
  return text
}
