import type { KeyScope } from '@storey/contract'

/** The caller of the provisioning API, and what it may do. */
export interface Caller {
  /** A session is an access token of the developers realm. */
  kind: 'key' | 'session'
  developerId: string
  organizationId: string
  scope: KeyScope
  /** The key that was used; absent for a session. */
  keyId?: string
  /** Whether it is a portal session. */
  isPortal: boolean
  /** The actor in the audit log: an email address, or the id of a key. */
  actor: string
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}
