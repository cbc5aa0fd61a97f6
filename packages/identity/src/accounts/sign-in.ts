import { addressNetwork } from '@storey/kit/client-address'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { Attempts, Counted } from '../attempts/attempts.ts'
import type { SlowDown } from '../attempts/slow-down.ts'
import type { RealmName } from '../realm/names.ts'
import * as store from './accounts.store.ts'
import { isEmailAddress } from './email.ts'
import { type Passwords, passwordFits } from './passwords.ts'

export interface Credentials {
  realm: RealmName
  /** Only accounts of this tenant may sign in; undefined in a realm without tenants. */
  tenantId: string | undefined
  email: string
  password: string
  address: string
  /** The id of the browser, if this account has signed in there before. */
  device: string | undefined
}

export type SignIn =
  | { outcome: 'signed-in'; account: store.AccountRow }
  /** The password was right, and must be replaced first. */
  | { outcome: 'password-needed'; account: store.AccountRow }
  | { outcome: 'refused' }
  | { outcome: 'blocked'; until: Date }

/** The account of a sign-in attempt, whether or not it exists. */
export const accountName = (realm: RealmName, tenantId: string | undefined, email: string): string =>
  `${realm} ${realm === 'developers' ? '' : (tenantId ?? '')} ${email.trim().toLowerCase()}`

/** Responds the same way, after the same work, for an unknown account and for a wrong password. */
export async function signIn(
  parts: { database: Database; passwords: Passwords; attempts: Attempts; slowDown: SlowDown; clock: Clock },
  credentials: Credentials,
): Promise<SignIn> {
  const { database, passwords, attempts } = parts
  const { realm, tenantId, password } = credentials
  const email = credentials.email.trim().toLowerCase()
  const name = accountName(realm, tenantId, email)
  const admission = await admit(parts, name, credentials)
  if ('until' in admission) return { outcome: 'blocked', until: admission.until }

  const account = await find(database, realm, tenantId, email)
  const fits = account ? await passwordFits(password, account.password) : await passwords.fitsNobody(password)
  if (!account || !fits) return { outcome: 'refused' }
  await attempts.forget(admission.own)
  await attempts.takeBack(admission.shared)
  return { outcome: account.passwordIsOneTime ? 'password-needed' : 'signed-in', account }
}

/** What was counted: of the account at this place alone, and together with others. */
type Admission = { own: Counted; shared: Counted[] } | { until: Date }

async function admit(
  { attempts, slowDown, clock }: { attempts: Attempts; slowDown: SlowDown; clock: Clock },
  name: string,
  { address, device }: Credentials,
): Promise<Admission> {
  if (device !== undefined) {
    const own: Counted = { kind: 'account from device', subject: `${name} ${device}` }
    const until = await attempts.take([own])
    return until ? { until } : { own, shared: [] }
  }
  const own: Counted = { kind: 'account from address', subject: `${name} ${address}` }
  const ofAddress: Counted = { kind: 'address', subject: address }
  // The address is counted first: while it has to wait, it stores no rows, whatever names it tries.
  const network = addressNetwork(address)
  const ofNetwork: Counted[] = network ? [{ kind: 'account from network', subject: `${name} ${network}` }] : []
  const until = await attempts.take([ofAddress, own, ...ofNetwork])
  if (until) return { until }
  const ofAccount: Counted = { kind: 'account', subject: name }
  const shared = [ofAddress, ...ofNetwork, ofAccount]
  if (!(await attempts.takeMany(ofAccount))) return { own, shared }
  const failures = await attempts.most([own, ...ofNetwork])
  if (await slowDown.pass(name, { failures, address })) return { own, shared }
  await attempts.takeBack([own, ...shared])
  return { until: new Date(clock.now().getTime() + slowDown.pauseMs) }
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
