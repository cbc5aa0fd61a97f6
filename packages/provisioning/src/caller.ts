import type { KeyScope } from '@storey/contract'

/** The caller of the provisioning API, and what it may do. */
export interface Caller {
  /** `session`: the request has an access token of the developers realm instead of an API key. */
  kind: 'key' | 'session'
  developerId: string
  organizationId: string
  scope: KeyScope
  /** The key that was used; absent for a session. */
  keyId?: string
  /** Whether the access token was issued to the portal. */
  isPortal: boolean
  /**
   * The actor in the audit log: the id of the key; for a session the developer's email address or, without one, the
   * developer's id.
   */
  actor: string
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}
