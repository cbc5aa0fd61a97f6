import type { Credential } from '../credentials/credential.ts'

/** Renewals in progress, shared by all clients of the credential. */
const underway = new WeakMap<Credential, Promise<boolean>>()

/**
 * Whether there is another token than the one that was refused. Those who come while it is renewed wait for the same
 * renewal, and those who come after it find a token they have not tried.
 */
export async function renewOnce(credential: Credential, refused: string): Promise<boolean> {
  const going = underway.get(credential)
  if (going) return going
  if (!credential.renew) return false
  const renewal = (async () => (await credential.token()) !== refused || (await credential.renew!()))()
  underway.set(credential, renewal)
  try {
    return await renewal
  } finally {
    underway.delete(credential)
  }
}
