import type { SeedResult } from '@storey/contract'

/**
 * What a tenant's database tells about itself, in the server's catalog. After an older control database was restored it
 * may know better than the row does.
 */
export interface TenantMetadata {
  /** Which building it holds, by when it was asked for. Absent in databases from before there were marks. */
  requestedAt?: Date
  /** Absent until the building is whole. */
  result?: SeedResult
}

export function formatMetadata({ requestedAt, result }: TenantMetadata): string {
  return JSON.stringify({ requestedAt: requestedAt?.toISOString(), result })
}

/** The database's own role may write it too: what does not read well counts as absent. */
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
