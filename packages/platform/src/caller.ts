import { Problem } from '@storey/contract'
import type { Precondition } from '@storey/kit/http'

/** Who calls the platform API, as the token says. */
export interface Caller {
  issuer: string
  subject: string
  tenantId: string | null
  roles: readonly string[]
  /** In lower case. null: every building of the tenant. */
  buildingIds: readonly string[] | null
  /** For people to read, in a history or an audit. */
  actor: string
  /** The sandbox's own token. */
  isAdministrator: boolean
  issuedAt: Date
  expiresAt: Date
}

interface Decorated {
  getDecorator<T>(name: string): T
  setDecorator<T>(name: string, value: T): void
}

const NAME = 'caller'

export function callerOf(request: Decorated): Caller {
  return request.getDecorator(NAME)
}

export function setCaller(request: Decorated, caller: Caller): void {
  request.setDecorator(NAME, caller)
}

/** Who changes a record, and what they expect it to be. */
export interface ByCaller {
  caller: Caller
  precondition: Precondition
}

export function byCaller(request: Decorated & Pick<ByCaller, 'precondition'>): ByCaller {
  return { caller: callerOf(request), precondition: request.precondition }
}

const INTERNAL_NAME = 'isInternal'

/** Whether the control plane asks by itself, and not for a client. */
export function isInternal(request: Decorated): boolean {
  return request.getDecorator(INTERNAL_NAME)
}

export function setInternal(request: Decorated): void {
  request.setDecorator(INTERNAL_NAME, true)
}

export function reaches({ buildingIds }: Caller, buildingId: string): boolean {
  return buildingIds === null || buildingIds.includes(buildingId.toLowerCase())
}

export function checkTenant({ tenantId }: Caller, own: string): void {
  if (tenantId !== own) throw new Problem('PERMISSION_DENIED', 'The token belongs to another tenant, or to none')
}

/** Also for a building that does not exist: a token learns nothing about what it may not reach. */
export function checkScope(caller: Caller, buildingId: string): void {
  if (!reaches(caller, buildingId)) throw new Problem('PERMISSION_DENIED', 'The token does not reach this building')
}
