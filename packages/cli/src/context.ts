import type { PlatformClient, ProvisioningClient } from '@storey/sdk'
import { type Address, serviceAddress } from './address.ts'
import type { Credential } from './credential.ts'
import type { Output } from './output/output.ts'

/** Time as a part that is passed in, so that a test can move it. */
export interface Clock {
  now(): number
  sleep(ms: number): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/** What stands on the command line for every command. */
export interface GlobalOptions {
  api?: string
  token?: string
  format: 'text' | 'json'
}

/** What the process gives: nothing below reads it by itself. */
export interface Surroundings {
  /** The version of the tool. */
  version: string
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  /** As Node names it. */
  system: NodeJS.Platform
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  out: Output
  clock: Clock
}

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

/** Clients and credentials are loaded when a command first asks for them: most of what the tool prints needs neither. */
export function createContext(surroundings: Surroundings, options: GlobalOptions): Context {
  let credential: Promise<Credential> | undefined
  const context: Context = {
    ...surroundings,
    options,
    interruptNote: undefined,
    service: () => serviceAddress(options.api, surroundings.env),
    credential() {
      credential ??= import('./credential.ts').then(({ findCredential }) => findCredential(context))
      return credential
    },
    provisioning: async (timeoutSeconds) => (await import('./clients.ts')).openProvisioning(context, timeoutSeconds),
    platform: async (apiUrl, token) => (await import('./clients.ts')).openPlatform(apiUrl, token),
  }
  return context
}
