import type { SandboxStatus } from './sandboxes.ts'

/** How an app signs its users in. */
export interface SignInConfig {
  /** The issuer URL of the realm; null: nobody can sign in. */
  issuer: string | null
  clientId: string
  /** The scopes of the authorization request. */
  scope: string
  /** The `audience` of the authorization request, which some providers need; null: the request has no `audience`. */
  audience: string | null
}

export const DEFAULT_SCOPE = 'openid email profile'

/** The configuration of the portal, served at `/config.json` of the control plane. The realm is that of developers. */
export interface PortalConfig extends SignInConfig {
  version: string
  /** The main address, with the portal and the provisioning API. The realm of developers redirects only there. */
  publicUrl: string
  /** The client of the command-line tool. */
  cliClientId: string
  /** The claim with the organization of a developer. */
  organizationClaim: string
  /** The issuer URL of the realm with the accounts of sandboxes; null: sandboxes have no accounts. */
  sandboxesIssuer: string | null
  maxActiveSandboxes: number
}

/** The configuration of the console, served at `/config.json` of a sandbox. The realm is that of sandboxes. */
export interface ShellConfig extends SignInConfig {
  version: string
  apiUrl: string
  /** The address of the provisioning service and the portal. */
  publicUrl: string
  sandboxId: string
  sandboxSlug: string
  sandboxName: string
  organizationId: string
  status: SandboxStatus
  /** Whether the database of the sandbox is being migrated. */
  isMigrating: boolean
  /** Whether the operator has suspended the sandbox. */
  isSuspended: boolean
  /** null until the sandbox is ready, and while it is being migrated or is suspended. */
  buildingId: string | null
  /** The claim with the roles of a user. */
  rolesClaim: string
  /** The claim with the email address of a user. */
  emailClaim: string
  /** The claim with the id of a user. */
  subjectClaim: string
  /** `on`: the console loads modules from the developer's own machine. `off`: it loads none. */
  moduleRoute: 'on' | 'off'
}

/**
 * The ids of the OAuth clients of the realms: the portal, the command-line tool, and the shells. In the embedded realm
 * each sandbox has a shell client of its own; at an external provider all shells share one. At an external provider the
 * clients can have other ids, which are settings of the service.
 */
export const PORTAL_CLIENT_ID = 'svc-portal'
export const CLI_CLIENT_ID = 'svc-cli'
export const SHARED_SHELL_CLIENT_ID = 'svc-shell'
export const shellClientId = (slug: string): string => `shell-${slug}`
/** The slug in the client id of a shell. */
export const shellSlug = (clientId: string): string => clientId.replace(/^shell-/, '')
/** The redirect path of the sign-in, the same in both apps. */
export const SIGN_IN_CALLBACK = '/callback'
