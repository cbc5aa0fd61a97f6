import type { SeedResult } from '@storey/contract'

/**
 * Metadata of a tenant database, stored as the database's comment in the server's catalog. After a restore of an older
 * control database, the metadata may be newer than the row of the sandbox.
 */
export interface TenantMetadata {
  /** True if a drop of the database was interrupted. Such a database counts as missing, and cannot be read any more. */
  isHalfDropped?: true
  /**
   * True if the service has not verified that the database is complete: the database was restored from a backup, or is
   * being restored, or an earlier version of the service wrote its comment. `unusableReason` checks such a database.
   */
  isUnverified?: true
  /** The other sandbox to which the database belongs, if the metadata names another one. */
  ofSandbox?: string
  /** The time of the request for which the database was created. Absent if the database has no valid metadata. */
  requestedAt?: Date
  /** Absent until seeding is complete. */
  result?: SeedResult
  /** When the sandbox had last been resumed before the database was verified. */
  resumedAt?: Date
}

/**
 * Which database was verified, for which sandbox. A backup contains the comment, but the database that is created to
 * restore it has another object identifier, or is on another server. A renamed database keeps its identifier and its
 * server, but then has the name of the database of another sandbox. So restored and renamed databases count as
 * unverified.
 */
export interface VerifiedDatabase {
  oid: number
  /** Identifies the server: databases that are restored on a new server can get the same oids as on the old one. */
  cluster: string
  sandboxId: string
}

/**
 * Whether a database was verified since its sandbox was last resumed. An operator may have restored a backup into the
 * database while the sandbox was suspended, or at any time if the service did not complete the database.
 */
export const isVerified = (metadata: TenantMetadata, sandbox: { resumedAt: Date | null }): boolean =>
  !metadata.isUnverified && !isIncomplete(metadata) && metadata.resumedAt?.getTime() === sandbox.resumedAt?.getTime()

export function formatMetadata(
  { requestedAt, result, resumedAt }: TenantMetadata,
  verified?: VerifiedDatabase,
): string {
  return JSON.stringify({ requestedAt, result, resumedAt, ...verified })
}

/** Parses the comment. The tenant's role can change the comment, so invalid content counts as absent. */
export function parseMetadata(text: string | null, { oid, cluster, sandboxId }: VerifiedDatabase): TenantMetadata {
  try {
    const { requestedAt, result, resumedAt, ...verified } = JSON.parse(text ?? '{}')
    const isOfAnother = typeof verified.sandboxId === 'string' && verified.sandboxId !== sandboxId
    const owner = isOfAnother ? { ofSandbox: verified.sandboxId } : {}
    const at = new Date(requestedAt)
    if (Number.isNaN(at.getTime())) return { isUnverified: true, ...owner }
    const isSame = verified.oid === oid && verified.cluster === cluster && verified.sandboxId === sandboxId
    const isWhole = [result?.siteId, result?.buildingId, result?.fingerprint].every((part) => typeof part === 'string')
    return {
      ...owner,
      requestedAt: at,
      ...(isWhole ? { result } : {}),
      ...(typeof resumedAt === 'string' ? { resumedAt: new Date(resumedAt) } : {}),
      ...(isSame ? {} : { isUnverified: true }),
    }
  } catch {
    return { isUnverified: true }
  }
}

/** Whether the service created the database and did not complete it, or a drop of the database was interrupted. */
export const isIncomplete = ({ isHalfDropped, requestedAt, result }: TenantMetadata): boolean =>
  isHalfDropped === true || (requestedAt !== undefined && result === undefined)

/**
 * Whether the origin of a database is unknown: it has no metadata. All databases that the service creates have
 * metadata, so a database without metadata is probably a backup that an operator restores.
 */
export const isOfUnknownOrigin = ({ requestedAt, isHalfDropped }: TenantMetadata): boolean =>
  requestedAt === undefined && !isHalfDropped

/**
 * Whether a database that the sandbox does not use may be newer than the one that the sandbox uses, after a restore of
 * an older control database. This is so if the database is complete, and was created for the request at `ofRequestAt`
 * or for a later request.
 */
export const mayBeNewer = ({ requestedAt, result }: TenantMetadata, ofRequestAt: Date): boolean =>
  result !== undefined && (requestedAt === undefined || requestedAt >= ofRequestAt)
