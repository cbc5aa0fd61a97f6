import { copyEtag } from '@storey/sdk'
import { replaceEqualDeep } from '@tanstack/react-query'

/**
 * Unchanged parts of a response stay the same objects. The response and the records that are its direct members get the
 * ETags of the latest read.
 */
export function shareUnchanged(before: unknown, now: unknown): unknown {
  const shared = replaceEqualDeep(before, now)
  copyEtags(now, shared)
  if (isRecord(now) && isRecord(shared)) for (const name of Object.keys(now)) copyEtags(now[name], shared[name])
  return shared
}

function copyEtags(now: unknown, shared: unknown): void {
  if (isRecord(now) && isRecord(shared) && now !== shared) copyEtag(now, shared)
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
