import type { Database } from '@storey/kit/database'
import type { RealmName } from '../realm/names.ts'
import { sameBytes, type Vault } from '../vault.ts'
import { type AccountRow, findEnabled } from './accounts.store.ts'

/**
 * A ticket proves that a browser has entered the one-time password of an account in one interaction. An interaction is
 * a sign-in in progress at the OpenID provider; `uid` identifies it. A ticket is valid until that password is replaced.
 */
export interface Tickets {
  issue(uid: string, account: AccountRow): string
  redeem(uid: string, ticket: string): Promise<AccountRow | undefined>
}

export function createTickets(options: { realm: RealmName; database: Database; vault: Vault }): Tickets {
  const { realm, database, vault } = options

  function issue(uid: string, { id, password }: AccountRow): string {
    const proof = vault.hmac(`ticket:${realm}:${uid}:${id}:${password}`)
    return `${Buffer.from(id).toString('base64url')}.${proof.toString('base64url')}`
  }

  return {
    issue,
    async redeem(uid, ticket) {
      const id = Buffer.from(ticket.split('.')[0] ?? '', 'base64url').toString()
      if (!/^[\w-]+$/.test(id)) return undefined
      const account = await findEnabled(database, realm, id)
      if (!account?.passwordIsOneTime) return undefined
      return sameBytes(Buffer.from(ticket), Buffer.from(issue(uid, account))) ? account : undefined
    },
  }
}
