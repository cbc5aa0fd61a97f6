import type { PlatformClient, ProvisioningClient, Credential as SdkCredential } from '@storey/sdk'
import type { Address } from './address.ts'
import type { Environment, GlobalOptions } from './environment.ts'

export interface Context extends Environment {
  readonly options: GlobalOptions
  /** What is reported if the command ends early, for example because the user presses Ctrl-C. */
  interruptNote: string | undefined
  /** The `apiUrl` of the sandbox that was called last, for error messages. */
  platformUrl: string | undefined
  service(): Address
  /** The credential for the provisioning service: from the option, else the environment, else the stored session. */
  credential(): Promise<Credential>
  /** A client of the provisioning service. By default each attempt may take 6 seconds, including the response. */
  provisioning(timeoutSeconds?: number): Promise<ProvisioningClient>
  /** A client of a sandbox's own API. */
  platform(apiUrl: string, token: string): Promise<PlatformClient>
}

export interface Credential extends SdkCredential {
  source: '--token' | 'SVC_API_TOKEN' | 'the stored session'
}
