import type { KeyScope } from '@storey/contract'

/** Who calls the provisioning service, and what they may do there. */
export interface Caller {
  /** A session is an access token of the developers realm. */
  kind: 'key' | 'session'
  developerId: string
  organizationId: string
  scope: KeyScope
  /** The key that was used; a session has none. */
  keyId?: string
  /** A session that was signed in to the portal. */
  isPortal: boolean
  /** How the audit names the caller: an email, or the id of a key. */
  actor: string
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}
