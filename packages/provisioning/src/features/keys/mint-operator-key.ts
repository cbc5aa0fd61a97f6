import { type KeyScope, LIMITS } from '@storey/contract'
import { NO_REQUEST } from '../../key-events.ts'
import type { KeyRow } from './keys.store.ts'
import type { KeyDeps } from './mint-key.ts'
import { daysAfter, issueKey } from './new-key.ts'

export interface OperatorMint {
  organizationId: string
  scope: KeyScope
  /** The developer to whom the key belongs; absent: the first developer of the organization. */
  email?: string
  label?: string
  neverExpires: boolean
}

export interface OperatorMintDeps extends KeyDeps {
  /** The developer with this email address; without an address, the first developer of the organization. */
  findDeveloper(organizationId: string, email?: string): Promise<{ id: string }>
}

/**
 * Creates a key that belongs to a developer, at the request of the operator. The key does not count towards the quotas,
 * and can be created without an expiry.
 */
export async function mintOperatorKey(
  { control, clock, recordChange, findDeveloper }: OperatorMintDeps,
  mint: OperatorMint,
): Promise<{ key: KeyRow; plaintext: string }> {
  const { organizationId, email, scope } = mint
  const developer = await findDeveloper(organizationId, email)
  const now = clock.now()
  const draft = {
    organizationId,
    developerId: developer.id,
    label: mint.label ?? 'operator',
    scope,
    operatorMinted: true,
    createdAt: now,
    expiresAt: mint.neverExpires ? null : daysAfter(now, LIMITS.key.expiresInDays.default),
  }
  return await control.transaction((tx) =>
    issueKey(tx, recordChange, draft, { actor: 'operator', request: NO_REQUEST }),
  )
}
