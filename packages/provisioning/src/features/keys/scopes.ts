import { type KeyScope, Problem, problems } from '@storey/contract'

/** What a route of the provisioning service can ask of its caller. */
export type Access = 'sandbox' | 'keys:list' | 'keys:revoke' | 'keys:mint' | 'keys:audit'

/** What each scope reaches. `publish` has no endpoint yet; no key mints keys or reads the audit. */
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

export function scopeAllows(scope: KeyScope, access: string): boolean {
  return ALLOWED[scope].includes(access)
}

export function outOfScope(scope: KeyScope, access: string): Problem {
  return problems.scopeDenied(scope, NEEDED[access] ?? 'a session of the portal, which no key replaces')
}

/** A session of the portal reaches everything; any other, such as the command-line tool's, the sandboxes alone. */
export function checkSession(isPortal: boolean, access: string): void {
  if (isPortal || access === 'sandbox') return
  throw new Problem('PERMISSION_DENIED', 'Keys are looked after in the portal: this session was not signed in there')
}
