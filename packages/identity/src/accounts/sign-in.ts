import { canonicalEmail } from '@storey/contract'
import { addressNetwork } from '@storey/kit/client-address'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { RealmName } from '../realm/names.ts'
import type { Attempts, CounterKey } from '../sign-in-attempts/attempts.ts'
import type { SlowDown } from '../sign-in-attempts/slow-down.ts'
import * as store from './accounts.store.ts'
import { mayBeStored } from './email.ts'
import { isFull, type Passwords, verifyPassword } from './passwords.ts'
import { TooManyWaiting, type Waiter } from './task-queue.ts'

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
  /** The one-time password was right. The user must replace it first. */
  | { outcome: 'password-needed'; account: store.AccountRow }
  | { outcome: 'refused' }
  /** The password was right, but the operator has disabled the account. */
  | { outcome: 'disabled' }
  | { outcome: 'blocked'; until: Date }
  /** Too many passwords wait to be checked. */
  | { outcome: 'busy' }

/**
 * How long a client should wait before a retry, if too many passwords of its browser, network or organization wait to
 * be checked.
 */
export const FULL_QUEUE_RETRY_MS = 2_000

/** The name under which attempts to sign in to an account are counted, whether or not the account exists. */
export const accountName = (realm: RealmName, tenantId: string | undefined, email: string): string =>
  `${realm} ${realm === 'developers' ? '' : (tenantId ?? '')} ${canonicalEmail(email)}`

/** Responds the same way, after the same work, for an unknown account and for a wrong password. */
export async function signIn(
  parts: { database: Database; passwords: Passwords; attempts: Attempts; slowDown: SlowDown; clock: Clock },
  credentials: Credentials,
): Promise<SignIn> {
  const { database, passwords, attempts } = parts
  const { realm, tenantId, password } = credentials
  const email = canonicalEmail(credentials.email)
  const name = accountName(realm, tenantId, email)
  const by = waiterOf(credentials)
  // This check comes before the counters, so that refusing a client with too many waiting sign-ins needs no database
  // work.
  if (isFull(by)) return { outcome: 'busy' }
  const admission = await admit(parts, name, credentials)
  if ('until' in admission) return { outcome: 'blocked', until: admission.until }

  // Earlier versions stored email addresses without Unicode normalization.
  const typed = credentials.email.trim().toLowerCase()
  const account =
    (await find(database, realm, tenantId, email)) ??
    (typed === email ? undefined : await find(database, realm, tenantId, typed))
  let isRight: boolean
  try {
    isRight = account ? await verifyPassword(password, account.password, by) : await passwords.verifyDummy(password, by)
  } catch (err) {
    if (!(err instanceof TooManyWaiting)) throw err
    await attempts.undo([admission.own, ...admission.shared])
    return { outcome: 'busy' }
  }
  if (!account || !isRight) return { outcome: 'refused' }
  await attempts.reset(admission.own)
  await attempts.undo(admission.shared)
  if (account.disabledAt != null) return { outcome: 'disabled' }
  return { outcome: account.passwordIsOneTime ? 'password-needed' : 'signed-in', account }
}

/**
 * The sign-ins of a known browser wait under the key of that browser. All other sign-ins wait under the address of the
 * client or, with IPv6, under the network of the address.
 */
const waiterOf = ({ address, device }: Credentials): Waiter =>
  device === undefined
    ? { key: addressNetwork(address) ?? address, isKnown: false }
    : { key: `device ${device}`, isKnown: true }

/**
 * The counters that were incremented, or the time until which attempts are blocked. `own` counts only the attempts for
 * this account from this address or browser; the counters in `shared` also count other attempts.
 */
type Admission = { own: CounterKey; shared: CounterKey[] } | { until: Date }

async function admit(
  { attempts, slowDown, clock }: { attempts: Attempts; slowDown: SlowDown; clock: Clock },
  name: string,
  { address, device }: Credentials,
): Promise<Admission> {
  if (device !== undefined) {
    const own: CounterKey = { kind: 'account from device', subject: `${name} ${device}` }
    const until = await attempts.record([own])
    return until ? { until } : { own, shared: [] }
  }
  const own: CounterKey = { kind: 'account from address', subject: `${name} ${address}` }
  const ofAddress: CounterKey = { kind: 'address', subject: address }
  // The attempt is counted for the address first, and `record` stops at the first counter that requires a wait. So
  // while an address has to wait, its attempts add no rows to the database, whatever accounts they are for.
  const network = addressNetwork(address)
  const ofNetwork: CounterKey[] = network ? [{ kind: 'account from network', subject: `${name} ${network}` }] : []
  const until = await attempts.record([ofAddress, own, ...ofNetwork])
  if (until) return { until }
  const ofAccount: CounterKey = { kind: 'account', subject: name }
  const shared = [ofAddress, ...ofNetwork, ofAccount]
  if (!(await attempts.recordAndTest(ofAccount))) return { own, shared }
  const failures = await attempts.maxFailures([own, ...ofNetwork])
  if (await slowDown.admit(name, { failures, address })) return { own, shared }
  await attempts.undo([own, ...shared])
  return { until: new Date(clock.now().getTime() + slowDown.roundMs) }
}

async function find(
  database: Database,
  realm: RealmName,
  tenantId: string | undefined,
  email: string,
): Promise<store.AccountRow | undefined> {
  if (!mayBeStored(email)) return undefined
  if (realm === 'developers') return await store.findDeveloper(database, email)
  return tenantId === undefined ? undefined : await store.findOfTenant(database, tenantId, email)
}
