import { WEBHOOK_HEADERS } from '../wire-values.ts'
import { decodeBase64, decodeHex, hmacMatches } from './hmac.ts'

/**
 * A delivery with a valid signature.
 *
 * @stable
 */
export interface WebhookDelivery {
  event: string
  data: Record<string, unknown>
  /** The time of the event. */
  timestamp: string
  /** The same for every attempt of one delivery. Store it, and ignore later requests with the same key. */
  idempotencyKey: string | undefined
  /** The number of the attempt, from 1. */
  attempt: number | undefined
}

/**
 * The headers of a `Request`, or Node's `request.headers`.
 *
 * @stable
 */
export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>

/**
 * Why a delivery was refused. `not_json`: the body is not JSON, or it is JSON but not a delivery.
 *
 * @stable
 */
export type WebhookRejection = 'missing_signature' | 'wrong_signature' | 'too_old' | 'not_json'

/**
 * The input of the check.
 *
 * @stable
 */
export interface VerifyWebhookOptions {
  /** The unparsed body: a body that was parsed and serialized again has another signature. */
  body: string | Uint8Array
  headers: WebhookHeaders
  /** The secret of the webhook. */
  secret?: string
  /** Several secrets, for a rotation: the signature must match one of them. */
  secrets?: readonly string[]
  /**
   * The maximum difference between the time of sending and now; default 300, `Infinity` for no limit. Only the
   * signature of Standard Webhooks covers the time. Without the headers of Standard Webhooks, the time is not checked.
   */
  toleranceSeconds?: number
}

/**
 * The delivery may not be from Storey, or is not readable. Respond with 400, and do not process the delivery.
 *
 * @stable
 */
export class WebhookVerificationError extends Error {
  override readonly name: string = 'WebhookVerificationError'
  readonly reason: WebhookRejection

  constructor(reason: WebhookRejection) {
    super(MESSAGES[reason])
    this.reason = reason
  }
}

const MESSAGES: Record<WebhookRejection, string> = {
  missing_signature: 'The request has no signature: it is not a webhook of Storey',
  wrong_signature: 'The signature does not match: the body was changed, or the secret is wrong',
  too_old: 'The request was sent too long ago, or in the future: it may be a replay',
  not_json: 'The signature matches, but the body is not a delivery',
}

/**
 * Checks the signature of a delivery on its raw body, in constant time, and returns the delivery. It accepts
 * `X-SVC-Signature` and `X-SVC-Signature-Previous`, and the headers of Standard Webhooks. The headers of Standard
 * Webhooks have precedence, because their signature covers the time.
 *
 * @stable
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookDelivery> {
  const { toleranceSeconds = 300 } = options
  const secrets = [...(options.secret === undefined ? [] : [options.secret]), ...(options.secrets ?? [])]
  if (secrets.length === 0 || secrets.includes('')) throw new TypeError('A secret is required to verify a webhook')
  const body = typeof options.body === 'string' ? new TextEncoder().encode(options.body) : options.body
  const header = (name: string) => headerOf(options.headers, name)

  const standard = header(WEBHOOK_HEADERS.standardSignature)
  const sentAt = header(WEBHOOK_HEADERS.standardTimestamp)
  const id = header(WEBHOOK_HEADERS.standardId)
  if (standard !== undefined && sentAt !== undefined && id !== undefined) {
    const signatures = standard.split(' ').flatMap((text) => (text.startsWith('v1,') ? [text.slice(3)] : []))
    const signed = joined(new TextEncoder().encode(`${id}.${sentAt}.`), body)
    if (!(await fitsAny(secrets.map(standardKey), signatures.map(decodeBase64), signed)))
      throw rejected('wrong_signature')
    const age = Math.abs(Date.now() / 1000 - Number(sentAt))
    if (!(age <= toleranceSeconds)) throw rejected('too_old')
  } else {
    const names = [WEBHOOK_HEADERS.signature, WEBHOOK_HEADERS.previousSignature]
    const signatures = names.map(header).filter((text) => text !== undefined)
    if (signatures.length === 0) throw rejected('missing_signature')
    const keys = secrets.map((secret) => new TextEncoder().encode(secret))
    if (!(await fitsAny(keys, signatures.map(decodeHex), body))) throw rejected('wrong_signature')
  }
  const attempt = Number(header(WEBHOOK_HEADERS.attempt))
  return {
    ...parsed(body),
    idempotencyKey: id ?? header(WEBHOOK_HEADERS.idempotencyKey),
    attempt: Number.isInteger(attempt) && attempt > 0 ? attempt : undefined,
  }
}

const rejected = (reason: WebhookRejection) => new WebhookVerificationError(reason)

/** The key of Standard Webhooks: the decoded Base64 text after the prefix, or the secret itself if it is not Base64. */
const standardKey = (secret: string) => decodeBase64(secret.replace(/^whsec_/, '')) ?? new TextEncoder().encode(secret)

async function fitsAny(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signatures: readonly (Uint8Array<ArrayBuffer> | undefined)[],
  signed: Uint8Array,
): Promise<boolean> {
  for (const key of keys) {
    for (const signature of signatures) {
      if (signature !== undefined && (await hmacMatches(key, signature, signed))) return true
    }
  }
  return false
}

function parsed(body: Uint8Array): { event: string; data: Record<string, unknown>; timestamp: string } {
  try {
    const { event, data, timestamp } = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (typeof event === 'string' && typeof timestamp === 'string' && typeof data === 'object' && data !== null)
      return { event, data, timestamp }
  } catch {
    // The error is thrown below, as for any other invalid body.
  }
  throw rejected('not_json')
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  // Frameworks have their own classes with the interface of `Headers`.
  if (typeof headers.get === 'function') return (headers as Headers).get(name) ?? undefined
  const found = Object.entries(headers as Exclude<WebhookHeaders, Headers>).find(
    ([key]) => key.toLowerCase() === name,
  )?.[1]
  return typeof found === 'string' ? found : found?.[0]
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}
