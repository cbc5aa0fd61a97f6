import type { Credential } from '../credentials/credential.ts'

/** Renewals in progress, shared by all clients of the credential. */
const renewals = new WeakMap<Credential, Promise<boolean>>()

/**
 * Whether there is now another token than the refused one. Concurrent callers wait for the same renewal. Later callers
 * find a token that they have not tried.
 */
export async function renewOnce(credential: Credential, refused: string): Promise<boolean> {
  const current = renewals.get(credential)
  if (current) return current
  if (!credential.renew) return false
  const renewal = (async () => (await credential.token()) !== refused || (await credential.renew!()))()
  renewals.set(credential, renewal)
  try {
    return await renewal
  } finally {
    renewals.delete(credential)
  }
}
