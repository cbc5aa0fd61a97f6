import { hash } from 'node:crypto'
import type { RecordRule } from './preconditions.ts'

const VERSION = Symbol('version')

/** For records of which no two changes have the same time. */
export const instantVersion = (at: Date | string): string => new Date(at).getTime().toString(36)

/** Of values of which each change alters at least one. */
export const digestVersion = (...values: readonly unknown[]): string => digest(JSON.stringify(values)).slice(0, 16)

/** For a record whose version does not follow from its fields. It is not enumerable, and so not part of the answer. */
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
