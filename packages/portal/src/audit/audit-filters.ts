import { LIMITS } from '@storey/contract'
import type { AuditQuery } from '@storey/sdk'

export const ACTIONS = ['key.issued', 'key.used', 'key.revoked'] as const
export type Action = (typeof ACTIONS)[number]
export const PAGE_SIZES = [25, LIMITS.audit.page.default, LIMITS.audit.page.max] as const

/** The filters are in the query string, so that a view can be shared as a link. */
export interface AuditFilters {
  action: Action | ''
  keyId: string
  limit: number
}

/** The filters of a query string, with defaults for missing and invalid parameters. */
export function filtersOf(query: URLSearchParams): AuditFilters {
  const limit = Number(query.get('limit'))
  return {
    action: ACTIONS.find((action) => action === query.get('action')) ?? '',
    keyId: query.get('keyId')?.trim() ?? '',
    limit: PAGE_SIZES.find((size) => size === limit) ?? LIMITS.audit.page.default,
  }
}

/** The parameters that are ignored. A wrong key ID is not in this list, because the field for it shows an error. */
export function ignoredIn(query: URLSearchParams): { name: string; value: string }[] {
  const { action, limit } = filtersOf(query)
  const used = new Map([
    ['action', action],
    ['limit', String(limit)],
  ])
  return [...new Set(query.keys())].flatMap((name) => {
    const value = query.get(name) ?? ''
    const isUsed = name === 'keyId' || (used.has(name) && (value === '' || value === used.get(name)))
    return isUsed ? [] : [{ name, value }]
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
