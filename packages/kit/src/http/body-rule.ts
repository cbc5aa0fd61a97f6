import { LIMITS } from '@storey/contract'
import type { FastifyRequest } from 'fastify'

/**
 * How a route gets the body: `json` parsed, `text` decoded, and `bytes` complete but not parsed. With `stream` the
 * route reads the body itself while it arrives.
 */
export type BodyForm = 'json' | 'text' | 'bytes' | 'stream'

/** The content codings that a route may decode (RFC 9110, 8.4.1). */
export type BodyCoding = 'gzip' | 'zstd'

/**
 * Gets the parsed body and its bytes, for a route that needs the order of the keys, which a parsed object does not
 * always keep.
 */
export type SeenBytes = (body: unknown, raw: Buffer) => void

/**
 * The bodies that a route accepts; a part of the route's config. Any other body is refused, if possible before it is
 * read.
 */
export interface BodyRule {
  /** A body that is longer, before or after decompression, is refused with 413. */
  readonly maxBytes: number
  /** The maximum number of JSON values, counted before parsing. */
  readonly maxValues: number
  /** How to read a body of each media type. A body of any other type is refused with 415. */
  readonly types: Readonly<Record<string, BodyForm>>
  /** The content codings of a body of the form `bytes`. Without this field, a compressed body is refused with 415. */
  readonly codings?: readonly BodyCoding[]
  readonly seen?: SeenBytes
  /** Creates the error for a body that has too many values. Without this function, the body is refused with 400. */
  readonly tooManyValues?: (max: number) => Error
}

const JSON_ONLY = { 'application/json': 'json' } as const
const KB = 1024

/** No valid body is nested more deeply. With a much deeper body, recursive code would overflow the call stack. */
export const MAX_DEPTH = 200

export const BODIES = {
  /** For routes without a body: an empty object is accepted. */
  none: { maxBytes: 16 * KB, maxValues: 1000, types: JSON_ONLY },
  /** For records of a few fields. The default of routes with a body. */
  small: { maxBytes: 64 * KB, maxValues: 10_000, types: JSON_ONLY },
  /** For records with a schema, a manifest, an outline or long texts. */
  medium: { maxBytes: 1024 * KB, maxValues: 50_000, types: JSON_ONLY },
  /** For bulk data. */
  bulk: { maxBytes: LIMITS.bodyBytes, maxValues: 1_000_000, types: JSON_ONLY },
} as const satisfies Record<string, BodyRule>

/** Whether the head of a request announces a body. */
export function announcesBody({ headers }: Pick<FastifyRequest['raw'], 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

export function sizeInWords(bytes: number): string {
  return bytes >= KB * KB ? `${bytes / KB / KB} MB` : `${bytes / KB} KB`
}
