import type { SandboxConnection } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { TokenSigner } from '@storey/kit/tokens'
import type { Addresses } from '../../addresses.ts'
import type { SandboxRow } from './sandboxes.store.ts'

/** What the operations on sandboxes need of the rest of the control plane. */
export interface SandboxDeps {
  control: Database
  clock: Clock
  /** The database server's time: the one that expiry goes by. */
  serverTime(): Promise<Date>
  addresses: Addresses
  signer: TokenSigner
  maxActive: number
  shellDeployed: boolean
  /** What a sandbox may take of the disk; 0: no limit. */
  storageLimitMb: number
  /** What a client of MQTT needs to know; null when it is off. */
  mqttOf(row: SandboxRow): SandboxConnection['mqtt']
  reconciler: {
    /** There is work: look now. */
    wake(): void
    /** False when it takes longer than the limit. */
    untilRemoved(sandboxId: string, limitMs: number): Promise<boolean>
  }
  sandboxCache: {
    /** The state behind this host name is no longer what it was. */
    invalidate(slug: string): void
  }
}
