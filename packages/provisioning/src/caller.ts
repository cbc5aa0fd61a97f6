import type { KeyScope } from '@storey/contract'

/** Who calls the provisioning service, and what they may do there. */
export interface Caller {
  developerId: string
  organizationId: string
  scope: KeyScope
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}
