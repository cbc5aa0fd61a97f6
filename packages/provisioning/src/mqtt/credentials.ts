import { timingSafeEqual } from 'node:crypto'
import { derivePassword, sha256 } from '@storey/kit/secrets'

/** A sandbox's password is derived from the master secret and its id: it is not stored, and a reset keeps it. */
export function createCredentials(masterSecret: string) {
  const passwordOf = (sandboxId: string) => derivePassword(masterSecret, `mqtt:${sandboxId}`)
  return {
    passwordOf,
    check(sandboxId: string, password: Buffer): boolean {
      return timingSafeEqual(sha256(passwordOf(sandboxId)), sha256(password.toString('utf8')))
    },
  }
}

export type Credentials = ReturnType<typeof createCredentials>
