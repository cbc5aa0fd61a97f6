import type { SandboxConnection } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { TokenSigner } from '@storey/kit/tokens'
import type { Addresses } from '../../addresses.ts'
import type { AccountChangeOrigin } from '../accounts/index.ts'
import type { SandboxRow } from './sandboxes.store.ts'

/** The parts of the control plane that operations on sandboxes need. Each operation is in the file with its name. */
export interface SandboxDeps {
  control: Database
  clock: Clock
  /** The database server's time, which decides expiry. */
  serverTime(): Promise<Date>
  addresses: Addresses
  signer: TokenSigner
  maxActive: number
  shellDeployed: boolean
  /** How long a deletion waits for the removal. */
  removalLimitMs?: number
  /** The storage limit of a sandbox; 0: no limit. */
  storageLimitMb: number
  /** A link that signs the owner in to the console; absent with an external identity provider. */
  ownerSession:
    | ((owner: {
        developerId: string
        tenantId: string
        slug: string
        path: string
        /** Who requested the link, for the audit log of the sandbox's accounts. */
        origin: AccountChangeOrigin
      }) => Promise<{ url: string; expiresAt: Date }>)
    | undefined
  /** How to connect over MQTT; null when MQTT is off, or when the service has no account at the external broker. */
  mqttOf(row: SandboxRow): SandboxConnection['mqtt']
  reconciler: {
    /** Runs the reconciler now. */
    wake(): void
    /** Waits until the sandbox is removed. False when that takes longer than the limit. */
    untilRemoved(sandboxId: string, limitMs: number): Promise<boolean>
  }
  stacks: {
    /**
     * Takes back the connections that the stack serves without the gateway. Call it before the stack's data is deleted.
     */
    takeBackConnections(sandboxId: string): Promise<void>
  }
  sandboxCache: {
    /** Call it after a change of the sandbox. */
    invalidate(slug: string): void
  }
}
