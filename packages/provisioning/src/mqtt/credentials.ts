import { timingSafeEqual } from 'node:crypto'
import { derivePassword, sha256 } from '@storey/kit/secrets'

/** No id of a sandbox is this long. */
const MAX_ID_LENGTH = 64

/**
 * MQTT credentials of sandboxes. A password is derived from the master secret and the id of the sandbox, so it is not
 * stored, and it stays the same after a reset.
 */
export function createCredentials(masterSecret: string) {
  const passwordOf = (sandboxId: string) => derivePassword(masterSecret, `mqtt:${sandboxId}`)
  return {
    passwordOf,
    check(sandboxId: string, password: Buffer): boolean {
      // A client can send an id of any length, but passwords are derived by HKDF, which accepts at most 1,024 bytes.
      if (sandboxId.length > MAX_ID_LENGTH) return false
      return timingSafeEqual(sha256(passwordOf(sandboxId)), sha256(password.toString('utf8')))
    },
  }
}

export type Credentials = ReturnType<typeof createCredentials>
