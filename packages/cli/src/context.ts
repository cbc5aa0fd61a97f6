import type { PlatformClient, ProvisioningClient, Credential as SdkCredential } from '@storey/sdk'
import type { Address } from './address.ts'
import type { GlobalOptions, Surroundings } from './surroundings.ts'

export interface Context extends Surroundings {
  readonly options: GlobalOptions
  /** What is told when somebody presses Ctrl-C now. */
  interruptNote: string | undefined
  service(): Address
  /** Flag, environment, stored session: the first that is there. */
  credential(): Promise<Credential>
  /** An attempt may take 6 seconds, answer included, unless told otherwise. */
  provisioning(timeoutSeconds?: number): Promise<ProvisioningClient>
  /** A sandbox's own API, by what connects to it. */
  platform(apiUrl: string, token: string): Promise<PlatformClient>
}

export interface Credential extends SdkCredential {
  source: '--token' | 'SVC_API_TOKEN' | 'the stored session'
}
