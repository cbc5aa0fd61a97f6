import { randomBytes } from 'node:crypto'
import { sameBytes, type Vault } from '../vault.ts'

/**
 * A sign-in sets a cookie in the browser. The cookie has an id of the browser, and for each of the last accounts that
 * signed in there an HMAC as proof. Failed sign-ins with this cookie are counted separately, so guesses from other
 * browsers, even at the same address, do not make the owner of the account wait. The cookie gives no access: the
 * password is still required. A device is a browser here, and not a device of the device grant (RFC 8628).
 */
export interface KnownDevices {
  /** The browser's id, if the account has signed in there before. */
  deviceOf(cookie: string | undefined, account: string): string | undefined
  /** The cookie after a sign-in of this account. */
  remember(cookie: string | undefined, account: string): string
}

const MAX_ACCOUNTS = 8
const PROOF_BYTES = 16
const COOKIE = /^([\w-]{22})((?:\.[\w-]{22}){1,8})$/

export function createKnownDevices(vault: Vault): KnownDevices {
  const proofOf = (id: string, account: string) =>
    vault.hmac(`device:${id}:${account}`).subarray(0, PROOF_BYTES).toString('base64url')

  function read(cookie: string | undefined): { id: string; proofs: string[] } | undefined {
    const [, id, proofs] = COOKIE.exec(cookie ?? '') ?? []
    return id === undefined ? undefined : { id, proofs: proofs!.slice(1).split('.') }
  }
  const proves = (proofs: readonly string[], proof: string) =>
    proofs.some((one) => sameBytes(Buffer.from(one), Buffer.from(proof)))

  return {
    deviceOf(cookie, account) {
      const device = read(cookie)
      return device && proves(device.proofs, proofOf(device.id, account)) ? device.id : undefined
    },
    remember(cookie, account) {
      const { id, proofs } = read(cookie) ?? { id: randomBytes(16).toString('base64url'), proofs: [] }
      const own = proofOf(id, account)
      return [id, own, ...proofs.filter((proof) => proof !== own).slice(0, MAX_ACCOUNTS - 1)].join('.')
    },
  }
}
