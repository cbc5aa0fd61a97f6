import { hash } from 'node:crypto'
import type { RecordRule } from './preconditions.ts'

const VERSION = Symbol('version')

/** A version from the time of the last change, for records whose changes all have different times. */
export const instantVersion = (at: Date | string): string => new Date(at).getTime().toString(36)

/** A version that is a digest of values. Every change of the record must change at least one of these values. */
export const digestVersion = (...values: readonly unknown[]): string => digest(JSON.stringify(values)).slice(0, 16)

/**
 * Attaches a version to a record whose fields do not determine it. The property is not enumerable, so it is not part of
 * the response.
 */
export function withVersion<T extends object>(record: T, version: string): T {
  return Object.defineProperty(record, VERSION, { value: version })
}

export function versionOf(record: object): string {
  const version = (record as { [VERSION]?: string })[VERSION]
  if (version === undefined) throw new Error('the record has no version: give it one with withVersion')
  return version
}

export const BY_UPDATED_AT: RecordRule = {
  version: ({ updatedAt }: { updatedAt: string }) => instantVersion(updatedAt),
}
export const BY_VERSION: RecordRule = { version: versionOf }

export const digest = (content: string | Buffer): string => hash('sha256', content, 'base64url').slice(0, 22)
