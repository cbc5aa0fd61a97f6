import { Problem } from '@storey/contract'

const MAX_ENTRIES = 100
const MAX_TEXT = 1_000
const MAX_ENTRY_TEXT = 200

/**
 * Throws the problem again with its detail, its lists and the texts in them truncated; `leftOut` counts the missing
 * entries of each list.
 * The problem must be short, because the control plane reads the refusals of the MQTT messages of all sandboxes, and a
 * list of unknown points can be as long as the MQTT message itself.
 */
export function shortRefusal(err: unknown): never {
  if (!(err instanceof Problem)) throw err
  const leftOut: Record<string, number> = {}
  const members: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(err.members)) {
    members[name] = Array.isArray(value) ? value.slice(0, MAX_ENTRIES).map(clipEntry) : value
    if (Array.isArray(value) && value.length > MAX_ENTRIES) leftOut[name] = value.length - MAX_ENTRIES
  }
  if (Object.keys(leftOut).length > 0) members.leftOut = leftOut
  throw new Problem(err.code, clip(err.message, MAX_TEXT), { members, headers: err.headers, cause: err.cause })
}

function clipEntry(entry: unknown): unknown {
  if (typeof entry === 'string') return clip(entry, MAX_ENTRY_TEXT)
  if (typeof entry !== 'object' || entry === null) return entry
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, clipEntry(value)]))
}

const clip = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text)
