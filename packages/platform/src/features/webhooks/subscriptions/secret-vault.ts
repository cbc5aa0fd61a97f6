import type { Database } from '@storey/kit/database'
import { createSeal } from '@storey/kit/seal'
import { type Signers, signersOf } from '../delivery/delivery-headers.ts'
import { forgetUnsealed, listUnsealed, writeSealed } from './sealed-secrets.store.ts'
import { startOf } from './secrets.ts'

/** Secrets as the database stores them. */
export interface SealedSigners {
  sealedSecret: Buffer | null
  sealedPreviousSecret: Buffer | null
  previousSecretUntil: Date | null
}

/** Encrypts secrets of webhooks; each can be opened for its own webhook only. */
export interface SecretVault {
  seal(webhookId: string, secret: string): Buffer
  /** Null if there is no sealed secret, or it was sealed with another key or for another webhook. */
  open(webhookId: string, sealed: SealedSigners): Signers | null
}

/** `key` is 64 hexadecimal digits. */
export function createSecretVault(key: string): SecretVault {
  const seal = createSeal(Buffer.from(key, 'hex'))
  const nameOf = (webhookId: string) => `webhook ${webhookId.toLowerCase()}`
  return {
    seal: (webhookId, secret) => seal.seal(secret, nameOf(webhookId)),
    open(webhookId, { sealedSecret, sealedPreviousSecret, previousSecretUntil }) {
      const opened = (sealed: Buffer | null) => (sealed && seal.open(sealed, nameOf(webhookId))) ?? null
      const secret = opened(sealedSecret)
      if (secret === null) return null
      return signersOf(secret, opened(sealedPreviousSecret), previousSecretUntil)
    },
  }
}

/** Seals secrets that an earlier version stored as plain text, and removes the text from the table's file. */
export async function sealSecrets(db: Database, vault: SecretVault): Promise<void> {
  await db.transaction(async (tx) => {
    const rows = await listUnsealed(tx)
    for (const { id, secret, previousSecret } of rows) {
      await writeSealed(tx, id, {
        secret: vault.seal(id, secret),
        start: startOf(secret),
        previous: previousSecret === null ? null : vault.seal(id, previousSecret),
      })
    }
    if (rows.length > 0) await forgetUnsealed(tx)
  })
}
