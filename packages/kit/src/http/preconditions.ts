import { problems } from '@storey/contract'
import type { FastifyRequest } from 'fastify'

/** What a route says of the record that it reads or writes. */
export interface RecordRule {
  /** The version of the record that the route answers with, in letters, digits, `-` and `_`. */
  // biome-ignore lint/suspicious/noExplicitAny: each route knows the record that it answers with.
  version(answer: any): string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The record that this route reads or changes: its answer has an ETag, and a change takes If-Match. */
    record?: RecordRule
    /** The record that this route creates: its answer has an ETag. */
    newRecord?: RecordRule
    /** Why a PATCH, PUT or DELETE takes no If-Match. */
    noPrecondition?: string
    /** A GET of something else than one record: its ETag follows from its bytes alone. */
    revalidates?: boolean
  }
  interface FastifyRequest {
    precondition: Precondition
  }
}

/** What the caller expects of the record that it changes, by If-Match and If-None-Match (RFC 9110, 13.1). */
export interface Precondition {
  /** To be asked under the lock of the record, before anything is written. Throws PRECONDITION_FAILED. */
  check(version: string): void
  /** To be asked instead where there is no such record, and the call would create it. */
  checkAbsent(): void
  /** The caller expects something, and nobody has asked yet. */
  isUnasked(): boolean
}

/** For calls that expect nothing. */
export const NO_PRECONDITION: Precondition = {
  check: () => undefined,
  checkAbsent: () => undefined,
  isUnasked: () => false,
}

/** One `*`, or tags as they are written. */
type Tags = '*' | readonly string[]

export function readPrecondition(headers: FastifyRequest['headers']): Precondition {
  const match = readTags(headers, 'if-match')
  const noneMatch = readTags(headers, 'if-none-match')
  if (match === undefined && noneMatch === undefined) return NO_PRECONDITION
  let isAsked = false
  return {
    check(version) {
      isAsked = true
      const fits = (tag: string) => isOfVersion(tag, version)
      if (match !== undefined && match !== '*' && !match.some(fits)) throw problems.preconditionFailed('If-Match')
      if (noneMatch === '*' || noneMatch?.map(withoutWeakness).some(fits)) {
        throw problems.preconditionFailed('If-None-Match')
      }
    },
    checkAbsent() {
      isAsked = true
      if (match !== undefined) throw problems.preconditionFailed('If-Match')
    },
    isUnasked: () => !isAsked,
  }
}

/** A tag of a record is its version, a dot and a digest of its bytes. A weak one never fits: the comparison is strong. */
function isOfVersion(tag: string, version: string): boolean {
  return tag.startsWith(`"${version}.`)
}

const withoutWeakness = (tag: string) => tag.replace(/^W\//, '')

/** Whether an answer with this tag is what the client has already. The comparison is weak, as it has to be for reads. */
export function isKnownTo(headers: FastifyRequest['headers'], etag: string): boolean {
  const tags = readTags(headers, 'if-none-match')
  return tags === '*' || tags?.some((tag) => withoutWeakness(tag) === etag) === true
}

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/y
const BETWEEN = /[ \t]*(?:,[ \t]*)*/y
const SEPARATOR = /[ \t]*,[ \t]*(?:,[ \t]*)*/y

/** The header's tags; undefined where there is none. Whatever is not a list of tags is a 400. */
export function readTags(headers: FastifyRequest['headers'], name: 'if-match' | 'if-none-match'): Tags | undefined {
  const text = headers[name]?.trim()
  if (text === undefined) return undefined
  if (text === '*') return '*'
  const tags: string[] = []
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }
  take(BETWEEN)
  while (at < text.length) {
    const tag = take(TAG)
    if (tag === undefined) break
    tags.push(tag)
    if (at < text.length && !take(SEPARATOR)) break
  }
  if (at < text.length || tags.length === 0) {
    throw problems.header(name, `${WRITTEN[name]} must be * or a list of entity tags such as "abc", "def"`)
  }
  return tags
}

const WRITTEN = { 'if-match': 'If-Match', 'if-none-match': 'If-None-Match' } as const
