import { LIMITS, type SandboxRecord } from '@storey/contract'
import { digestVersion, withVersion } from '@storey/kit/http'
import type { SandboxDeps } from './sandbox-deps.ts'
import type { SandboxRow } from './sandboxes.store.ts'

const MB = 1024 * 1024

export type RecordDeps = Pick<SandboxDeps, 'addresses' | 'shellDeployed' | 'storageLimitMb'>

function migrationOf(
  { schemaVersion, migrationFailure }: SandboxRow,
  to: number,
): NonNullable<SandboxRecord['migration']> {
  return { from: schemaVersion, to, ...(migrationFailure === null ? {} : { failureReason: migrationFailure }) }
}

/**
 * The version of a sandbox record, with which `If-Match` is compared. A change of the progress or the storage does not
 * change the version.
 */
export function versionOfRow(row: SandboxRow): string {
  const { name, status, requestedAt, expiresAt, extensionsUsed, failureReason, suspendedAt } = row
  return digestVersion(name, status, requestedAt, expiresAt, extensionsUsed, failureReason, suspendedAt)
}

/** The API record of a sandbox. */
export function toRecord(row: SandboxRow, { addresses, shellDeployed, storageLimitMb }: RecordDeps): SandboxRecord {
  const apiUrl = addresses.sandboxUrl(row.slug)
  const record: SandboxRecord = {
    sandboxId: row.id,
    name: row.name,
    slug: row.slug,
    status: row.status,
    apiUrl,
    consoleUrl: shellDeployed ? apiUrl : null,
    // The organization inside the sandbox. `row.organizationId` is the organization of the developer.
    organizationId: row.tenantId,
    expiresAt: row.expiresAt.toISOString(),
    extensionsRemaining: LIMITS.sandbox.extensions - row.extensionsUsed,
    siteId: row.siteId,
    buildingId: row.buildingId,
    ...(row.failureReason === null ? {} : { failureReason: row.failureReason }),
    ...row.building,
    seedTelemetryDays: row.telemetryDays,
    fingerprint: row.fingerprint,
    createdAt: row.createdAt.toISOString(),
    storage: {
      usedMb: row.storageBytes === null ? null : Math.round((row.storageBytes / MB) * 10) / 10,
      limitMb: storageLimitMb === 0 ? null : storageLimitMb,
      measuredAt: row.storageMeasuredAt?.toISOString() ?? null,
    },
    ...(row.status === 'ready' && row.migrationTarget !== null
      ? { migration: migrationOf(row, row.migrationTarget) }
      : {}),
    ...(row.suspendedAt === null
      ? {}
      : { suspension: { since: row.suspendedAt.toISOString(), reason: row.suspensionReason } }),
    progress: { percent: row.progressPercent, step: row.progressStep },
  }
  return withVersion(record, versionOfRow(row))
}
