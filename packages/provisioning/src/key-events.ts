import { type KeyAction, type KeyDenial, type KeyScope, LIMITS } from '@storey/contract'
import type { Tx } from '@storey/kit/database'
import type { HttpOptions } from '@storey/kit/http'

export type Request = Parameters<HttpOptions['authorize']>[0]

/** The request by which something happened to a key. */
export interface Via {
  method: string | null
  route: string | null
  sourceIp: string | null
  userAgent: string | null
}

export interface KeyEvent extends Via {
  at: Date
  action: KeyAction
  /** Why it was denied; null when it was allowed. */
  reason: KeyDenial | null
  organizationId: string | null
  keyId: string | null
  actor: string | null
  scope: KeyScope | null
  expiresAt: Date | null
  status: number | null
  /** How many alike this stands for; 1 when absent. `at` is the last of them. */
  count?: number
  /** When the first of them came; `at` when absent. */
  firstAt?: Date
}

/** What a look at a key found out; the answer is not known yet. */
export type KeySeen = Omit<KeyEvent, 'action' | 'status' | 'count' | 'firstAt' | keyof Via>

/** Writes the row of an issuance or revocation, in the transaction that makes it so. */
export type RecordChange = (tx: Tx, event: KeyEvent) => Promise<void>

const KEY_TEXT = /svc_[0-9A-Za-z]{46}/g

export function viaOf({ method, routeOptions, clientAddress, headers }: Request): Via {
  return {
    method,
    route: routeOptions.url ?? null,
    sourceIp: clientAddress || null,
    userAgent: headers['user-agent']?.replace(KEY_TEXT, 'svc_…').slice(0, LIMITS.audit.userAgentLength) ?? null,
  }
}

/** For what the operator does at the machine itself. */
export const NO_REQUEST: Via = { method: null, route: null, sourceIp: null, userAgent: null }
