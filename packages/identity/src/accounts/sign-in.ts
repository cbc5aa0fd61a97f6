import type { Database } from '@storey/kit/database'
import type { Attempts, Counted } from '../attempts/attempts.ts'
import type { RealmName } from '../realm/names.ts'
import * as store from './accounts.store.ts'
import { isEmailAddress } from './email.ts'
import { passwordFits, passwordOfNobody } from './passwords.ts'

export interface Credentials {
  realm: RealmName
  /** Only accounts of this tenant may sign in; undefined in a realm without tenants. */
  tenantId: string | undefined
  email: string
  password: string
  address: string
}

export type SignIn =
  | { outcome: 'signed-in'; account: store.AccountRow }
  /** The password was right, and must be replaced first. */
  | { outcome: 'password-needed'; account: store.AccountRow }
  | { outcome: 'refused' }
  | { outcome: 'blocked'; until: Date }

/** The same answer, after the same work, for an account that does not exist and for a wrong password. */
export async function signIn(
  { database, attempts }: { database: Database; attempts: Attempts },
  credentials: Credentials,
): Promise<SignIn> {
  const { realm, tenantId, password, address } = credentials
  const email = credentials.email.trim().toLowerCase()
  const subject = `${realm} ${tenantId ?? ''} ${email}`
  const counted: Counted[] = [
    { kind: 'account from address', subject: `${subject} ${address}` },
    { kind: 'account', subject },
    { kind: 'address', subject: address },
  ]
  const until = await attempts.take(counted)
  if (until) return { outcome: 'blocked', until }

  const account = await find(database, realm, tenantId, email)
  const fits = account ? await passwordFits(password, account.password) : await passwordOfNobody(password)
  if (!account || !fits) return { outcome: 'refused' }
  await attempts.takeBack(counted)
  return { outcome: account.passwordIsOneTime ? 'password-needed' : 'signed-in', account }
}

async function find(
  database: Database,
  realm: RealmName,
  tenantId: string | undefined,
  email: string,
): Promise<store.AccountRow | undefined> {
  if (!isEmailAddress(email)) return undefined
  if (realm === 'developers') return await store.findDeveloper(database, email)
  return tenantId === undefined ? undefined : await store.findOfTenant(database, tenantId, email)
}
