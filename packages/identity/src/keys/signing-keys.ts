import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { StartupError } from '@storey/kit/startup-error'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import { REALMS, type RealmName } from '../realm/names.ts'
import { createVault, type Vault } from '../vault.ts'
import * as store from './keys.store.ts'
import { planKeys } from './plan-keys.ts'

export const SIGNING_ALGORITHM = 'ES256'

/** A private key, as the OpenID provider library expects it. */
export type SigningKey = JWK & { kty: string; kid: string }

export interface SigningKeys {
  /** The keys of a realm, the signing key first. Creates and deletes keys by schedule. */
  current(realm: RealmName): Promise<SigningKey[]>
}

/** Decrypts a stored key. Throws if the master secret is not the one it was encrypted with. */
function openKey(vault: Vault, realm: RealmName, row: store.KeyRow): SigningKey {
  const text = vault.open(row.sealed, sealName(realm, row.kid))
  if (text === undefined) {
    throw new StartupError(
      `The signing keys of the realm ${realm} cannot be decrypted: the master secret is not the one they were encrypted with.`,
    )
  }
  return JSON.parse(text)
}

/** Throws if the keys cannot be decrypted with this secret. Changes nothing, and works before the first migration. */
export async function checkMasterSecret(database: Database, masterSecret: string, clock: Clock): Promise<void> {
  if (!(await store.hasKeys(database))) return
  const vault = createVault(masterSecret)
  for (const realm of REALMS) {
    for (const row of planKeys(await store.listKeys(database, realm), clock.now()).keep) openKey(vault, realm, row)
  }
}

export function createSigningKeys(options: { database: Database; vault: Vault; clock: Clock }): SigningKeys {
  const { database, vault, clock } = options

  async function generate(): Promise<{ kid: string; text: string }> {
    const { privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true })
    const jwk = await exportJWK(privateKey)
    const kid = await calculateJwkThumbprint(jwk)
    return { kid, text: JSON.stringify({ ...jwk, kid, alg: SIGNING_ALGORITHM, use: 'sig' }) }
  }

  const open = (realm: RealmName, row: store.KeyRow) => openKey(vault, realm, row)

  return {
    async current(realm) {
      const plan = planKeys(await store.listKeys(database, realm), clock.now())
      if (!plan.newKeySignsFrom && plan.drop.length === 0) return plan.keep.map((row) => open(realm, row))
      const kept = await database.transaction(async (tx) => {
        await store.lockKeys(tx, realm)
        // Another process may have rotated the keys while this one waited for the lock.
        const now = clock.now()
        const rows = await store.listKeys(tx, realm)
        const { newKeySignsFrom: signsFrom, drop } = planKeys(rows, now)
        if (signsFrom) {
          const { kid, text } = await generate()
          const row = { kid, sealed: vault.seal(text, sealName(realm, kid)), signsFrom }
          await store.insertKey(tx, realm, row, now)
          rows.push(row)
        }
        const dropped = drop.map((row) => row.kid)
        await store.deleteKeys(tx, realm, dropped)
        return planKeys(
          rows.filter((row) => !dropped.includes(row.kid)),
          now,
        ).keep
      })
      return kept.map((row) => open(realm, row))
    },
  }
}

const sealName = (realm: RealmName, kid: string) => `key:${realm}:${kid}`
