import { isModuleAddress, MODULE_HOSTS } from '@storey/contract'

/**
 * The URL of a remote entry if the shell may load it. Only loopback hosts are allowed (`contract/src/module-hosts.ts`
 * lists them), whatever the registry contains. The Content-Security-Policy of the shell
 * (`provisioning/src/gateway/web-apps.ts`) allows the same hosts.
 */
export function loopbackAddress(text: string): URL | undefined {
  const url = URL.parse(text)
  return url && isModuleAddress(url) ? url : undefined
}

/** Whether the page is on the developer's machine. If not, the browser asks the user before it loads from loopback. */
export const isLoopbackPage = (hostname: string): boolean =>
  MODULE_HOSTS.includes(hostname) || hostname.endsWith('.localhost')

/** The origin of a URL, for texts. */
export const originOf = (address: string): string => URL.parse(address)?.origin ?? address
