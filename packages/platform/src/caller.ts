import { Problem } from '@storey/contract'
import type { Precondition } from '@storey/kit/http'

/** The caller of the platform API, as the token of the request describes it. */
export interface Caller {
  issuer: string
  subject: string
  tenantId: string | null
  roles: readonly string[]
  /**
   * In lower case. null: every building of the tenant, because the token has no `building_ids`, or has a role without
   * this limit (`seesEveryBuilding` in `contract/src/permissions.ts`).
   */
  buildingIds: readonly string[] | null
  /** The name that the change log, comments and other records show. */
  actor: string
  /** True for the sandbox's own token. */
  isAdministrator: boolean
  /** False for the sandbox's own token and for service accounts. */
  isPerson: boolean
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

/** Who changes a record, and which version they expect. */
export interface ByCaller {
  caller: Caller
  precondition: Precondition
}

export function byCaller(request: Decorated & Pick<ByCaller, 'precondition'>): ByCaller {
  return { caller: callerOf(request), precondition: request.precondition }
}

/** The caller as text for the access log. Subjects of external providers may contain any character. */
export const signedIn = ({ subject, isAdministrator, isPerson }: Caller): string =>
  `${isAdministrator ? 'sandbox' : isPerson ? 'account' : 'service-account'} ${isPlain(subject) ? subject : encodeURIComponent(subject.toWellFormed())}`

const isPlain = (text: string): boolean => /^[\w.:@-]+$/.test(text)

/**
 * Identifies a caller by issuer and subject, since names are not unique and may change. Changesets store this text, so
 * its form must stay the same.
 */
export const callerKey = ({ issuer, subject }: Pick<Caller, 'issuer' | 'subject'>): string => `${issuer} ${subject}`

const INTERNAL_NAME = 'isInternal'

/** Whether the request comes from the control plane itself, and not from a client. */
export function isInternal(request: Decorated): boolean {
  return request.getDecorator(INTERNAL_NAME)
}

export function setInternal(request: Decorated): void {
  request.setDecorator(INTERNAL_NAME, true)
}

export function isInScope({ buildingIds }: Caller, buildingId: string): boolean {
  return buildingIds === null || buildingIds.includes(buildingId.toLowerCase())
}

export function checkTenant({ tenantId }: Caller, own: string): void {
  if (tenantId !== own) throw new Problem('PERMISSION_DENIED', 'The token belongs to another tenant, or to none')
}

/** Throws if one of these buildings, which are all buildings of the tenant, is outside the scope. */
export function checkWholeScope(caller: Caller, buildingIds: readonly string[]): void {
  if (buildingIds.every((id) => isInScope(caller, id))) return
  throw new Problem(
    'PERMISSION_DENIED',
    'The token is not valid for every building, and this request concerns all of them',
  )
}

/** Throws for every building outside the scope, known or unknown, so that a caller cannot find out which ones exist. */
export function checkScope(caller: Caller, buildingId: string): void {
  if (!isInScope(caller, buildingId)) throw new Problem('PERMISSION_DENIED', 'The token is not valid for this building')
}
