import { resolveSpec } from '@storey/building'
import { type BuildingParameters, countOf, LIMITS, minAreaSqm, problems, type SandboxCreate } from '@storey/contract'
import { sha256 } from '@storey/kit/secrets'
import type { Caller } from '../../caller.ts'
import { newSandboxId, newSeed, organizationOf } from '../../ids.ts'
import { lockOwner } from './lock-owner.ts'
import { checkSandboxQuota } from './quota.ts'
import type { SandboxDeps } from './sandbox-deps.ts'
import { findByIdempotencyKey, insertSandbox, type SandboxRow } from './sandboxes.store.ts'
import { newSlug } from './slug.ts'

const DAY_MS = 86_400_000

/** The parameters of the building with defaults filled in. Throws for impossible parameters. */
export function buildingOf(request: SandboxCreate): BuildingParameters {
  const { spacesMin, spacesMax } = request
  if (spacesMin !== undefined && spacesMax !== undefined && spacesMin > spacesMax) {
    throw problems.field('spacesMin', `spacesMin is ${spacesMin}, above spacesMax, which is ${spacesMax}`)
  }
  const { name: _, ttlDays: __, seedTelemetryDays: ___, ...given } = request
  const building = resolveSpec({ ...given, seed: request.seed ?? newSeed() })
  const least = minAreaSqm(building)
  if (building.areaSqm < least) {
    const rooms = `${countOf(building.storeys, 'storey')} of at least ${countOf(building.spacesMin, 'room')}`
    throw problems.field('areaSqm', `areaSqm is too small for ${rooms}: at least ${least} is needed`)
  }
  return building
}

/**
 * Stores a new sandbox, which the reconciler provisions after the response. A repeated request with the same
 * idempotency key and the same body gets the sandbox of the first request; with another body it is refused.
 */
export async function createSandbox(
  deps: SandboxDeps,
  caller: Caller,
  request: SandboxCreate,
  idempotencyKey: string | undefined,
): Promise<SandboxRow> {
  const building = buildingOf(request)
  const requestHash = sha256(JSON.stringify(Object.entries(request).sort()))
  // Read before the transaction begins: `serverTime` uses a second connection, for which a transaction must not wait.
  const now = await deps.serverTime()
  const row = await deps.control.transaction(async (tx) => {
    await lockOwner(tx, caller.developerId)
    const first = idempotencyKey && (await findByIdempotencyKey(tx, caller.developerId, idempotencyKey))
    if (first) {
      if (first.requestHash.equals(requestHash)) return first
      throw problems.conflict('Idempotency-Key', 'This Idempotency-Key was used for another request')
    }
    await checkSandboxQuota(tx, deps, caller.developerId)
    const id = newSandboxId()
    return await insertSandbox(tx, {
      id,
      developerId: caller.developerId,
      organizationId: caller.organizationId,
      tenantId: organizationOf(id),
      name: request.name.trim(),
      slug: newSlug(request.name),
      building,
      telemetryDays: request.seedTelemetryDays ?? LIMITS.sandbox.seedTelemetryDays.default,
      createdAt: now,
      expiresAt: new Date(now.getTime() + (request.ttlDays ?? LIMITS.sandbox.ttlDays.default) * DAY_MS),
      idempotencyKey: idempotencyKey ?? null,
      requestHash,
    })
  })
  deps.reconciler.wake()
  return row
}
