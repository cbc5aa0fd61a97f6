import { checkQuota, DEFAULT_KEY_SCOPE, type KeyMint, LIMITS, problems } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { Caller } from '../../caller.ts'
import type { AuditedRequest, RecordChange } from '../../key-events.ts'
import { countActiveKeys, countMintedSince, type KeyRow, lockOrganization } from './keys.store.ts'
import { daysAfter, issueKey } from './new-key.ts'

export interface KeyDeps {
  control: Database
  clock: Clock
  recordChange: RecordChange
}

const DAY_MS = 86_400_000
const { maxActivePerOrganization: maxActive, expiresInDays } = LIMITS.key

/** Creates a key for the calling developer. */
export async function mintKey(
  { control, clock, recordChange }: KeyDeps,
  { organizationId, developerId, actor }: Caller,
  mint: KeyMint,
  request: AuditedRequest,
): Promise<{ key: KeyRow; plaintext: string }> {
  return await control.transaction(async (tx) => {
    await lockOrganization(tx, organizationId)
    const now = clock.now()
    // Expired, revoked and operator-minted keys do not count (`keys.store.ts`).
    const used = await countActiveKeys(tx, organizationId, now)
    if (used >= maxActive) {
      throw problems.quotaExceeded('keys', maxActive, used, `${used} keys are active already: revoke one first`)
    }
    checkQuota('keysPerDay', await countMintedSince(tx, organizationId, new Date(now.getTime() - DAY_MS)))
    const draft = {
      organizationId,
      developerId,
      label: mint.label.trim(),
      scope: mint.scope ?? DEFAULT_KEY_SCOPE,
      operatorMinted: false,
      createdAt: now,
      expiresAt: daysAfter(now, mint.expiresInDays ?? expiresInDays.default),
    }
    return await issueKey(tx, recordChange, draft, { actor, request })
  })
}
