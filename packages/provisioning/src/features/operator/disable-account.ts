import { problems } from '@storey/contract'
import type { Tx } from '@storey/kit/database'
import { type OwnedAccount, revokeOwner } from '../accounts/index.ts'
import { countOpenOfOwner, resumeOfOwner, type Suspended, suspendOfOwner } from '../sandboxes/index.ts'
import { type DeveloperRow, lockDeveloperByName, setDeveloperDisabled } from './accounts.store.ts'
import type { OperatorDeps } from './operator.ts'
import { insertOperation } from './operator-audit.store.ts'

/**
 * Disables or enables the account of a developer, and the developer's accounts in sandboxes, in the embedded realms.
 * Returns the accounts in sandboxes. If developers sign in at an external provider, there is no such function.
 */
type SetDisabledInRealm = (tx: Tx, developerId: string, isDisabled: boolean) => Promise<readonly OwnedAccount[]>

export interface AccountChange {
  developer: DeveloperRow
  /** False: the account was in this state already, and no sandbox was suspended or resumed. */
  isChanged: boolean
  /** Sandboxes that were suspended or resumed with the account. */
  sandboxes: Suspended[]
  /**
   * Sandboxes in which tokens of the developer were revoked now, except sandboxes that were suspended already. Running
   * stacks are not notified of these revocations, so the stacks of these sandboxes have to be stopped. A stack gets the
   * revocations when it starts again.
   */
  revokedIn: string[]
  /** How many sandboxes of the developer are now neither suspended nor expired nor being removed. */
  openSandboxes: number
}

export interface AccountOptions {
  /** The sandboxes are not suspended, so the sandboxes' own tokens, which the developer can have, stay valid. */
  keepSandboxes?: boolean
  setDisabledInRealm?: SetDisabledInRealm
}

const REASON = 'the account of its owner is disabled'

/**
 * Revokes the tokens of a developer, ends the sessions in the embedded realm, and suspends the sandboxes unless
 * `keepSandboxes` is set. Keys are refused until the account is enabled again.
 */
export async function disableAccount(
  { control, operator }: OperatorDeps,
  emailOrId: string,
  { keepSandboxes = false, setDisabledInRealm }: AccountOptions = {},
): Promise<AccountChange> {
  return await control.transaction(async (tx) => {
    const developer = await lockAccount(tx, emailOrId)
    const { id } = developer
    await setDeveloperDisabled(tx, id, true)
    // The realm ends sessions even if the account is disabled already, because a restored backup can contain sessions.
    const owned = await setDisabledInRealm?.(tx, id, true)
    const revokedIn = await revokeOwner(tx, id, owned ?? [], new Date())
    const sandboxes = keepSandboxes ? [] : await suspendOfOwner(tx, id, REASON)
    const isChanged = developer.disabledAt === null || sandboxes.length > 0
    const details = { email: developer.email, suspended: sandboxes.map((one) => one.id) }
    if (isChanged) await insertOperation(tx, operator, { command: 'account disable', subject: id, details })
    return { developer, isChanged, sandboxes, revokedIn, openSandboxes: await countOpenOfOwner(tx, id) }
  })
}

export async function enableAccount(
  { control, operator }: OperatorDeps,
  emailOrId: string,
  { setDisabledInRealm }: Pick<AccountOptions, 'setDisabledInRealm'> = {},
): Promise<AccountChange> {
  return await control.transaction(async (tx) => {
    const developer = await lockAccount(tx, emailOrId)
    const { id } = developer
    await setDeveloperDisabled(tx, id, false)
    await setDisabledInRealm?.(tx, id, false)
    const sandboxes = await resumeOfOwner(tx, id)
    const isChanged = developer.disabledAt !== null || sandboxes.length > 0
    const details = { email: developer.email, resumed: sandboxes.map((one) => one.id) }
    if (isChanged) await insertOperation(tx, operator, { command: 'account enable', subject: id, details })
    return { developer, isChanged, sandboxes, revokedIn: [], openSandboxes: await countOpenOfOwner(tx, id) }
  })
}

async function lockAccount(tx: Tx, emailOrId: string): Promise<DeveloperRow> {
  const developer = await lockDeveloperByName(tx, emailOrId)
  if (!developer) throw problems.notFound(`developer: ${emailOrId}`)
  return developer
}
