import { deriveSecret } from '@storey/kit/secrets'

/** The key of the control plane at the stack of a sandbox. All control planes of an installation derive the same one. */
export const deriveInternalKey = (masterSecret: string, sandboxId: string): string =>
  deriveSecret(masterSecret, `internal-key:${sandboxId}`).toString('hex')
