import type { SeedResult } from '@storey/contract'

/**
 * Metadata of a tenant database, stored as its comment in the server's catalog. After an older control database was
 * restored it may be newer than the row.
 */
export interface TenantMetadata {
  /** The time of the request that created it. Absent in databases of versions that wrote no metadata. */
  requestedAt?: Date
  /** Absent until seeding is complete. */
  result?: SeedResult
}

export function formatMetadata({ requestedAt, result }: TenantMetadata): string {
  return JSON.stringify({ requestedAt: requestedAt?.toISOString(), result })
}

/** The tenant's role can write the comment too: invalid content counts as absent. */
export function parseMetadata(text: string | null): TenantMetadata {
  try {
    const { requestedAt, result } = JSON.parse(text ?? '{}')
    const at = new Date(requestedAt)
    if (Number.isNaN(at.getTime())) return {}
    const isWhole = [result?.siteId, result?.buildingId, result?.fingerprint].every((part) => typeof part === 'string')
    return { requestedAt: at, ...(isWhole ? { result } : {}) }
  } catch {
    return {}
  }
}
