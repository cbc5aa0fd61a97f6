import { LIMITS } from '@storey/contract'
import type { AuditQuery } from '@storey/sdk'

export const ACTIONS = ['key.issued', 'key.used', 'key.revoked'] as const
export type Action = (typeof ACTIONS)[number]
export const PAGE_SIZES = [25, LIMITS.audit.page.default, LIMITS.audit.page.max] as const

/** The filters as they stand in the address, so that a view can be sent to somebody. */
export interface AuditFilters {
  action: Action | ''
  keyId: string
  limit: number
}

/** What the address says, and the usual where it says nothing that can be used. */
export function filtersOf(query: URLSearchParams): AuditFilters {
  const limit = Number(query.get('limit'))
  return {
    action: ACTIONS.find((action) => action === query.get('action')) ?? '',
    keyId: query.get('keyId')?.trim() ?? '',
    limit: PAGE_SIZES.find((size) => size === limit) ?? LIMITS.audit.page.default,
  }
}

/** What the address says and cannot be used; a wrong key is said beside its own field. */
export function ignoredIn(query: URLSearchParams): { name: string; said: string }[] {
  const { action, limit } = filtersOf(query)
  const used = new Map([
    ['action', action],
    ['limit', String(limit)],
  ])
  return [...new Set(query.keys())].flatMap((name) => {
    const said = query.get(name) ?? ''
    const isUsed = name === 'keyId' || (used.has(name) && (said === '' || said === used.get(name)))
    return isUsed ? [] : [{ name, said }]
  })
}

export const isKeyId = (text: string): boolean => /^key_[0-9a-z]{1,60}$/.test(text)

export function auditQueryOf({ action, keyId, limit }: AuditFilters, before?: number): AuditQuery {
  return {
    limit,
    ...(action === '' ? {} : { action }),
    ...(isKeyId(keyId) ? { keyId } : {}),
    ...(before === undefined ? {} : { before }),
  }
}
