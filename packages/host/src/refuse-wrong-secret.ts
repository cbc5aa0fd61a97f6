import { checkMasterSecret } from '@storey/identity/signing-keys'
import { systemClock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { IdentitySettings } from './identity-settings.ts'

/**
 * Throws the StartupError with which the service refuses to start if the signing keys of the embedded provider cannot
 * be decrypted with this secret. Without the embedded provider there are no keys to check. Changes nothing.
 */
export async function refuseWrongSecret(
  control: Database,
  masterSecret: string,
  { developersIssuer, sandboxesIssuer }: Pick<IdentitySettings, 'developersIssuer' | 'sandboxesIssuer'>,
): Promise<void> {
  if (developersIssuer !== undefined && sandboxesIssuer !== undefined) return
  await checkMasterSecret(control, masterSecret, systemClock)
}
