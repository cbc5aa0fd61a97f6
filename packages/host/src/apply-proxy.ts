import { setGlobalProxyFromEnv } from 'node:http'
import type { Environment } from '@storey/kit/config'
import { usesProxy } from './stack-environment.ts'

/**
 * Sends the outgoing requests of this process through the proxy that its environment names, if it names one. Throws if
 * the address of the proxy is invalid.
 */
export function applyProxy(environment: Environment): void {
  // Node reads the proxy variables by itself only when NODE_USE_ENV_PROXY is set.
  if (usesProxy(environment) && environment.NODE_USE_ENV_PROXY === undefined) setGlobalProxyFromEnv()
}
