import type { Credential } from '../credentials/credential.ts'
import { StoreyError } from '../errors.ts'

/** Renewals in progress, shared by all clients of the credential. */
const renewals = new WeakMap<Credential, Promise<boolean>>()

/** Whether a service has refused the token of a request. The client renews the credential then, and repeats the request. */
export const isTokenRefused = (error: unknown): boolean => error instanceof StoreyError && error.status === 401

/**
 * Renews the credential, and returns whether its token now differs from the refused one. Concurrent callers wait for
 * the same renewal. If the refused token has been replaced already, nothing is renewed.
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
