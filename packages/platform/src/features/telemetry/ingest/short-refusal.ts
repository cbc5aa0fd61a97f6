import { Problem } from '@storey/contract'

const MOST_ENTRIES = 100
const MOST_TEXT = 1_000
const MOST_ENTRY_TEXT = 200

/**
 * Throws a refusal again with the beginnings of its lists; `leftOut` counts what is missing of each. The process that
 * reads it reads those of all sandboxes, and a list of every unknown point may be as long as the message.
 */
export function shortRefusal(err: unknown): never {
  if (!(err instanceof Problem)) throw err
  const leftOut: Record<string, number> = {}
  const members: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(err.members)) {
    members[name] = Array.isArray(value) ? value.slice(0, MOST_ENTRIES).map(clipEntry) : value
    if (Array.isArray(value) && value.length > MOST_ENTRIES) leftOut[name] = value.length - MOST_ENTRIES
  }
  if (Object.keys(leftOut).length > 0) members.leftOut = leftOut
  throw new Problem(err.code, clip(err.message, MOST_TEXT), { members, headers: err.headers, cause: err.cause })
}

function clipEntry(entry: unknown): unknown {
  if (typeof entry === 'string') return clip(entry, MOST_ENTRY_TEXT)
  if (typeof entry !== 'object' || entry === null) return entry
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, clipEntry(value)]))
}

const clip = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text)
