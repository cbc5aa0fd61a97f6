import { type AccountAction, LIMITS } from '@storey/contract'
import { type Clock, latestTime } from '@storey/kit/clock'
import { insertAccountEvent } from './account-audit.store.ts'
import type { ChangeRules } from './directory.ts'
import { keepSandbox } from './keep-sandbox.ts'
import { insertRevoked } from './revoked-subjects.store.ts'

/** Who changes an account, in which sandbox, and with which request. */
export interface AccountChangeOrigin {
  sandbox: { id: string; tenantId: string }
  actor: string
  request: { clientAddress: string; headers: { 'user-agent'?: string | undefined } }
}

/**
 * What is written in the same transaction as a change of an account: the row in the audit log and, unless the account
 * is new, the revocation of the account's tokens. Throws if the sandbox is being removed.
 */
export function recordAccountChange(
  clock: Clock,
  action: AccountAction,
  { sandbox, actor, request }: AccountChangeOrigin,
): ChangeRules['record'] {
  return async (tx, { account: { id: accountId, email }, rolesBefore, rolesAfter }) => {
    await keepSandbox(tx, sandbox.id)
    const at = clock.now()
    const userAgent = request.headers['user-agent']?.slice(0, LIMITS.audit.userAgentLength) ?? null
    await insertAccountEvent(tx, {
      ...{ at, tenantId: sandbox.tenantId, action, actor, accountId, email, rolesBefore, rolesAfter },
      ...{ sourceIp: request.clientAddress, userAgent },
    })
    if (action !== 'account.created') await insertRevoked(tx, sandbox.id, accountId, latestTime(clock))
  }
}
