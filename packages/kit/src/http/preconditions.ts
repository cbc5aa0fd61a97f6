import { problems } from '@storey/contract'
import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { RESPONSE_CODINGS, type ResponseCoding } from './accept-encoding.ts'

/** Describes the record that a route reads or writes. */
export interface RecordRule {
  /** The version of the returned record, in letters, digits, `-` and `_`. */
  // biome-ignore lint/suspicious/noExplicitAny: each route knows the record that it answers with.
  version(answer: any): string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The record that this route reads or changes: its response has an ETag, and a change accepts If-Match. */
    record?: RecordRule
    /** The record that this route creates: its response has an ETag. */
    newRecord?: RecordRule
    /** Why a PATCH, PUT or DELETE does not accept If-Match. */
    noPrecondition?: string
    /** For a GET of something other than one record. The ETag of its response is a digest of the bytes. */
    revalidates?: boolean
  }
  interface FastifyRequest {
    precondition: Precondition
  }
}

const WRITES = ['PATCH', 'PUT', 'DELETE']

/** Throws if a PATCH, PUT or DELETE route neither accepts If-Match nor declares why it does not. */
export function checkDeclared({
  method,
  url,
  config = {},
}: {
  method: string
  url: string
  config?: FastifyContextConfig
}): void {
  if (!WRITES.includes(method) || config.record || config.noPrecondition) return
  throw new Error(`${method} ${url} declares no precondition: give it config.record or config.noPrecondition`)
}

/** The precondition of a change, from If-Match and If-None-Match (RFC 9110, 13.1). */
export interface Precondition {
  /**
   * Call this under the lock of the record, before anything is written. Throws PRECONDITION_FAILED if the version does
   * not meet the precondition.
   */
  check(version: string): void
  /** Call this instead of `check` if the record does not exist and the request would create it. */
  checkAbsent(): void
  /** Whether there is a precondition that has not been checked yet. */
  isUnchecked(): boolean
}

/** For requests without a precondition. */
export const NO_PRECONDITION: Precondition = {
  check: () => undefined,
  checkAbsent: () => undefined,
  isUnchecked: () => false,
}

/** `*`, or the tags as written in the header. */
type Tags = '*' | readonly string[]

export function readPrecondition(headers: FastifyRequest['headers']): Precondition {
  const match = readTags(headers, 'if-match')
  const noneMatch = readTags(headers, 'if-none-match')
  if (match === undefined && noneMatch === undefined) return NO_PRECONDITION
  let isChecked = false
  return {
    check(version) {
      isChecked = true
      const fits = (tag: string) => isOfVersion(tag, version)
      if (match !== undefined && match !== '*' && !match.some(fits)) throw problems.preconditionFailed('If-Match')
      if (noneMatch === '*' || noneMatch?.map(withoutWeakness).some(fits)) {
        throw problems.preconditionFailed('If-None-Match')
      }
    },
    checkAbsent() {
      isChecked = true
      if (match !== undefined) throw problems.preconditionFailed('If-Match')
    },
    isUnchecked: () => !isChecked,
  }
}

/**
 * The tag of a record consists of its version, a dot and, unless the response contains a secret, a digest of the
 * response. A weak tag never matches, because If-Match is compared strongly. If-None-Match is compared weakly, so its
 * tags are passed without `W/`.
 */
function isOfVersion(tag: string, version: string): boolean {
  return tag.startsWith(`"${version}.`)
}

const withoutWeakness = (tag: string) => tag.replace(/^W\//, '')

/**
 * The tag in If-None-Match that matches this response in any content coding; undefined if none does. The comparison is
 * weak, as RFC 9110 requires for reads.
 */
export function knownTag(headers: FastifyRequest['headers'], etag: string): string | undefined {
  const tags = readTags(headers, 'if-none-match')
  if (tags === '*') return etag
  return tags?.map(withoutWeakness).find((tag) => withoutCoding(tag) === etag)
}

/** A compressed response has a tag of its own, because its bytes differ: `"abc"` becomes `"abc~br"`. */
export const tagOfCoding = (etag: string, coding: ResponseCoding): string => `${etag.slice(0, -1)}~${coding}"`

const CODING = new RegExp(`~(?:${RESPONSE_CODINGS.join('|')})"$`)
const withoutCoding = (tag: string): string => tag.replace(CODING, '"')

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/y
const BETWEEN = /[ \t]*(?:,[ \t]*)*/y
const SEPARATOR = /[ \t]*,[ \t]*(?:,[ \t]*)*/y

/** The tags of the header; undefined if it is absent. A malformed list is a 400. */
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
    throw problems.header(name, `${HEADER_NAMES[name]} must be * or a list of entity tags such as "abc", "def"`)
  }
  return tags
}

const HEADER_NAMES = { 'if-match': 'If-Match', 'if-none-match': 'If-None-Match' } as const
