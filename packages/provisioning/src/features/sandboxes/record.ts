import { LIMITS, type SandboxRecord } from '@storey/contract'
import type { Addresses } from '../../addresses.ts'
import type { SandboxRow } from './sandboxes.store.ts'

/** A sandbox as the outside sees it. */
export function toRecord(row: SandboxRow, addresses: Addresses, shellDeployed: boolean): SandboxRecord {
  const apiUrl = addresses.sandboxUrl(row.slug)
  return {
    sandboxId: row.id,
    name: row.name,
    slug: row.slug,
    status: row.status,
    apiUrl,
    consoleUrl: shellDeployed ? apiUrl : null,
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
    progress: { percent: row.progressPercent, step: row.progressStep },
  }
}
