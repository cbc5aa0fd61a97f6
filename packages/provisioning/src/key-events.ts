import { type KeyAction, type KeyDenial, type KeyScope, LIMITS } from '@storey/contract'
import type { Tx } from '@storey/kit/database'
import type { HttpOptions } from '@storey/kit/http'

export type Request = Parameters<HttpOptions['authorize']>[0]

/** The request that used or changed a key. */
export interface AuditedRequest {
  method: string | null
  route: string | null
  sourceIp: string | null
  userAgent: string | null
}

export interface KeyEvent extends AuditedRequest {
  at: Date
  action: KeyAction
  /** The reason for a denial; null when allowed. */
  reason: KeyDenial | null
  organizationId: string | null
  keyId: string | null
  actor: string | null
  scope: KeyScope | null
  expiresAt: Date | null
  status: number | null
  /** How many identical events the row represents; 1 when absent. `at` is the time of the last event. */
  count?: number
  /** The time of the first of these events; `at` when absent. */
  firstAt?: Date
}

/** The result of a key check; the response is not known yet. */
export type KeySeen = Omit<KeyEvent, 'action' | 'status' | 'count' | 'firstAt' | keyof AuditedRequest>

/** Writes the audit row of an issued or revoked key, in the transaction of that change. */
export type RecordChange = (tx: Tx, event: KeyEvent) => Promise<void>

const KEY_TEXT = /svc_[0-9A-Za-z]{46}/g

export function auditedRequest({ method, routeOptions, clientAddress, headers }: Request): AuditedRequest {
  return {
    method,
    route: routeOptions.url ?? null,
    sourceIp: clientAddress || null,
    userAgent: headers['user-agent']?.replace(KEY_TEXT, 'svc_…').slice(0, LIMITS.audit.userAgentLength) ?? null,
  }
}

/** The fields of an audit row for a change by the operator, which has no HTTP request. */
export const NO_REQUEST: AuditedRequest = { method: null, route: null, sourceIp: null, userAgent: null }
