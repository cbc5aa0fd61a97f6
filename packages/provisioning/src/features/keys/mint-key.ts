import { BASE62, type KeyScope, keyText, LIMITS } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { randomText, sha256 } from '@storey/kit/secrets'
import { newKeyId } from '../../ids.ts'
import { insertKey, type KeyRow } from './keys.store.ts'

const DAY_MS = 86_400_000

export interface OperatorMint {
  organizationId: string
  scope: KeyScope
  /** The developer for whom the key acts; the organization's oldest when absent. */
  email?: string
  label?: string
  neverExpires: boolean
}

export interface MintDeps {
  control: Database
  clock: Clock
  /** The developer with that address, or the oldest one, of an organization. */
  findDeveloper(organizationId: string, email?: string): Promise<{ id: string }>
}

/** A key from the operator: outside the limit of five, and the only kind that may never expire. */
export async function mintOperatorKey(
  { control, clock, findDeveloper }: MintDeps,
  mint: OperatorMint,
): Promise<{ key: KeyRow; plaintext: string }> {
  const { organizationId, email } = mint
  const developer = await findDeveloper(organizationId, email)
  const now = clock.now()
  const key: KeyRow = {
    id: newKeyId(),
    organizationId,
    developerId: developer.id,
    label: mint.label ?? 'operator',
    scope: mint.scope,
    operatorMinted: true,
    createdAt: now,
    expiresAt: mint.neverExpires ? null : new Date(now.getTime() + LIMITS.key.expiresInDays.default * DAY_MS),
    revokedAt: null,
  }
  const plaintext = keyText(randomText(BASE62, 40))
  await insertKey(control, key, sha256(plaintext))
  return { key, plaintext }
}
