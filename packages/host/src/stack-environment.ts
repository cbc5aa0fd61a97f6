import { resolve } from 'node:path'
import type { Environment } from '@storey/kit/config'

const PROXY_ADDRESSES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy']
const PROXIES = [...PROXY_ADDRESSES, 'NO_PROXY', 'no_proxy']
const FILES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']
const ENV_PROXY = 'NODE_USE_ENV_PROXY'

/**
 * The environment variables that a stack inherits: those of proxies, certificates and OpenTelemetry. File paths are
 * made absolute, because a stack runs in its own folder. If a proxy is set, NODE_USE_ENV_PROXY is 1 by default, because
 * otherwise Node ignores the proxy.
 */
export function stackEnvironment(environment: Environment): Record<string, string> {
  const passed = Object.entries(environment).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value.trim() === '') return []
    if (FILES.includes(name)) return [[name, resolve(value)]]
    return PROXIES.includes(name) || name === ENV_PROXY || name.startsWith('OTEL_') ? [[name, value]] : []
  })
  const given = Object.fromEntries(passed)
  return usesProxy(environment) ? { [ENV_PROXY]: '1', ...given } : given
}

/** Whether the environment names a proxy for outbound requests. */
export const usesProxy = (environment: Environment): boolean =>
  PROXY_ADDRESSES.some((name) => (environment[name] ?? '').trim() !== '')
