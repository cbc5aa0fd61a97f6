/** The size limit of a message on the errors topic. Every broker accepts a message of this size. */
export const MAX_ERROR_BYTES = 16 * 1024
const MAX_TEXT = 1_000
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

/** Truncates a string, or the strings of an object. An object that is still too large becomes null. */
function bound(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, member]) => [
    name.slice(0, MAX_TEXT),
    typeof member === 'string' ? bound(member) : member,
  ])
  const bounded = Object.fromEntries(entries)
  return Buffer.byteLength(JSON.stringify(bounded)) > MAX_LIST_BYTES ? null : bounded
}
