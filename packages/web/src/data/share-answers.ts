import { copyEtag } from '@storey/sdk'
import { replaceEqualDeep } from '@tanstack/react-query'

/** Parts of an answer that say the same stay the same objects, and records keep the version that was read last. */
export function shareAnswers(before: unknown, now: unknown): unknown {
  const shared = replaceEqualDeep(before, now)
  keepTags(now, shared)
  if (isRecord(now) && isRecord(shared)) for (const name of Object.keys(now)) keepTags(now[name], shared[name])
  return shared
}

function keepTags(now: unknown, shared: unknown): void {
  if (isRecord(now) && isRecord(shared) && now !== shared) copyEtag(now, shared)
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
