import { randomUUID } from 'node:crypto'
import { type DeliveryBody, LIMITS } from '@storey/contract'
import { connect, reasonOf } from '@storey/sdk'
import { checkedUrl } from '../../address.ts'
import type { Clock } from '../../environment.ts'
import type { SeenEvent } from './live-feed.ts'
import { webhookHeaders } from './webhook-headers.ts'

export interface Forwarded {
  idempotencyKey: string
  /** Null if the receiver did not answer. */
  httpCode: number | null
  /** Why there was no answer. */
  error: string | null
  durationMs: number
}

/** Posts an event once, in the form of a webhook delivery. A failure is returned, not thrown. */
export async function forward(url: string, secret: string, seen: SeenEvent, clock: Clock): Promise<Forwarded> {
  const { event, data, timestamp } = seen
  const content: DeliveryBody = { event, data, timestamp }
  const body = Buffer.from(JSON.stringify(content))
  const idempotencyKey = randomUUID()
  const from = clock.now()
  const headers = webhookHeaders({ secret, idempotencyKey, body, at: new Date(from) })
  const signal = AbortSignal.timeout(LIMITS.webhook.timeoutMs)
  const ended = (httpCode: number | null, error: string | null) => ({
    ...{ idempotencyKey, httpCode, error },
    durationMs: clock.now() - from,
  })
  try {
    const answer = await connect(url, { method: 'POST', headers, body: new Uint8Array(body), signal })
    await answer.body?.cancel()
    return ended(answer.status, null)
  } catch (error) {
    return ended(null, signal.aborted ? `no answer in ${LIMITS.webhook.timeoutMs / 1000} seconds` : reasonOf(error))
  }
}

/** The URL of an address, which may be abbreviated to `7000/hook` or `localhost:7000/hook`. */
export function receiverUrl(text: string): string {
  const named = /^\d+(\/|$)/.test(text) ? `localhost:${text}` : text
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(named) ? named : `http://${named}`
  checkedUrl(url, '--forward-to')
  return url
}
