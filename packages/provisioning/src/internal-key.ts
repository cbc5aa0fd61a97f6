import { deriveSecret } from '@storey/kit/secrets'

/**
 * The key by which the processes of a sandbox recognize the control plane. All control planes of an installation derive
 * the same key.
 */
export const deriveInternalKey = (masterSecret: string, sandboxId: string): string =>
  deriveSecret(masterSecret, `internal-key:${sandboxId}`).toString('hex')
