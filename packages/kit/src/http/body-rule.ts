import { LIMITS } from '@storey/contract'
import type { FastifyRequest } from 'fastify'

/** `bytes` and `stream` are for routes that read the body by themselves. */
export type BodyForm = 'json' | 'text' | 'bytes' | 'stream'

/** For a route that asks what an object no longer tells: the order of its keys in the text. */
export type SeenBytes = (body: unknown, raw: Buffer) => void

/** What a route takes as its body. Stands in the route's config; whatever it does not allow is refused unread. */
export interface BodyRule {
  /** A longer body is a 413. */
  readonly maxBytes: number
  /** Of JSON: how many values it may hold, counted before any of it is parsed. */
  readonly maxValues: number
  /** How a body of each media type is read; any other type is a 415. */
  readonly types: Readonly<Record<string, BodyForm>>
  readonly seen?: SeenBytes
  /** Thrown instead of a 400 where a body holds too many values. */
  readonly tooManyValues?: (max: number) => Error
}

const JSON_ONLY = { 'application/json': 'json' } as const
const KB = 1024

export const BODIES = {
  /** For calls that take nothing: an empty object is let through. */
  none: { maxBytes: 16 * KB, maxValues: 1000, types: JSON_ONLY },
  /** For records of a few fields. What a route with a body takes unless it says otherwise. */
  small: { maxBytes: 64 * KB, maxValues: 10_000, types: JSON_ONLY },
  /** For records that hold a schema, a manifest or an outline. */
  medium: { maxBytes: 1024 * KB, maxValues: 50_000, types: JSON_ONLY },
  /** For data by the thousand. */
  bulk: { maxBytes: LIMITS.bodyBytes, maxValues: 1_000_000, types: JSON_ONLY },
} as const satisfies Record<string, BodyRule>

/** Whether the head of a request says that a body follows. */
export function announcesBody({ headers }: Pick<FastifyRequest['raw'], 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

export function sizeInWords(bytes: number): string {
  return bytes >= KB * KB ? `${bytes / KB / KB} MB` : `${bytes / KB} KB`
}
