import { serviceAddress } from './address.ts'
import type { Context, Credential } from './context.ts'
import type { Environment, GlobalOptions } from './environment.ts'

/** Clients and credentials are loaded when they are first used, because `--help` needs neither. */
export function createContext(environment: Environment, options: GlobalOptions): Context {
  let credential: Promise<Credential> | undefined
  const context: Context = {
    ...environment,
    options,
    interruptNote: undefined,
    platformUrl: undefined,
    service: () => serviceAddress(options.api, environment.env),
    credential() {
      credential ??= import('./credential.ts').then(({ findCredential }) => findCredential(context))
      return credential
    },
    provisioning: async (timeoutSeconds) => (await import('./clients.ts')).openProvisioning(context, timeoutSeconds),
    async platform(apiUrl, token) {
      context.platformUrl = apiUrl
      return (await import('./clients.ts')).openPlatform(apiUrl, token)
    },
  }
  return context
}
