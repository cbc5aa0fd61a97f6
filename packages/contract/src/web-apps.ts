import type { SandboxStatus } from './sandboxes.ts'

/** The configuration of the portal, served at `/config.json` of the service. */
export interface PortalConfig {
  version: string
  /** The portal's own address: sign-in redirects only there. */
  publicUrl: string
  /** The developers realm; null: nobody can sign in. */
  issuer: string | null
  clientId: string
  /** The realm of the sandboxes' accounts; null: sandboxes have no accounts. */
  sandboxesIssuer: string | null
  maxActiveSandboxes: number
}

/** The configuration of the console, served at `/config.json` of a sandbox. */
export interface ShellConfig {
  version: string
  apiUrl: string
  /** The address of the provisioning service and the portal. */
  publicUrl: string
  sandboxId: string
  sandboxName: string
  organizationId: string
  status: SandboxStatus
  /** Whether the database of the sandbox is being migrated. */
  isMigrating: boolean
  /** null until the sandbox is ready. */
  buildingId: string | null
  /** The sandboxes realm; null: nobody can sign in. */
  issuer: string | null
  clientId: string
  /** `on`: the console loads modules from the developer's own machine. `off`: it loads none. */
  moduleRoute: 'on' | 'off'
}

/**
 * The ids of the OAuth clients of the realms: the portal, the command-line tool, and the shells. In the embedded realm
 * each sandbox has a shell client of its own; at an external provider all shells share one.
 */
export const PORTAL_CLIENT_ID = 'svc-portal'
export const CLI_CLIENT_ID = 'svc-cli'
export const SHARED_SHELL_CLIENT_ID = 'svc-shell'
export const shellClientId = (slug: string): string => `shell-${slug}`
/** The slug in the client id of a shell. */
export const shellSlug = (clientId: string): string => clientId.replace(/^shell-/, '')
/** The redirect path of the sign-in, the same in both apps. */
export const SIGN_IN_CALLBACK = '/callback'
