import { type KeyScope, Problem, problems } from '@storey/contract'
import type { KeyRow } from './keys.store.ts'

/** The access levels of routes of the provisioning API. */
export type Access = 'sandbox' | 'keys:list' | 'keys:revoke' | 'keys:mint' | 'keys:audit'

/**
 * What each scope allows. `publish` has no endpoint yet; creating keys and reading the audit log need a portal session.
 */
const ALLOWED: Record<KeyScope, readonly string[]> = {
  sandbox: ['sandbox'] satisfies Access[],
  publish: [],
  full: ['sandbox', 'keys:list', 'keys:revoke'] satisfies Access[],
}

const NEEDED: Record<string, string> = {
  sandbox: 'sandbox or full',
  'keys:list': 'full',
  'keys:revoke': 'full',
} satisfies Partial<Record<Access, string>>

/** Keys that were created before scopes existed have the full scope. */
export function scopeOf({ scope }: Pick<KeyRow, 'scope'>): KeyScope {
  return scope ?? 'full'
}

export function scopeAllows(scope: KeyScope, access: string): boolean {
  return ALLOWED[scope].includes(access)
}

export function outOfScope(scope: KeyScope, access: string): Problem {
  return problems.scopeDenied(scope, NEEDED[access] ?? 'a portal session, not a key')
}

/** A portal session allows every access level. Other sessions, such as the CLI's, allow only the level `sandbox`. */
export function checkSession(isPortal: boolean, access: string): void {
  if (isPortal || access === 'sandbox') return
  throw new Problem('PERMISSION_DENIED', 'This call needs a portal session')
}
