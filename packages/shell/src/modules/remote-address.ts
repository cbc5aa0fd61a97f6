import { MODULE_HOSTS } from '@storey/contract'

/**
 * The address of a remote entry, where the shell may load it: on the developer's own machine and nowhere else, whatever
 * a registry row says.
 */
export function loopbackAddress(text: string): URL | undefined {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' || url.username !== '' || url.password !== '') return undefined
  return MODULE_HOSTS.includes(url.hostname) ? url : undefined
}

/** Whether the page itself is on the developer's machine. From elsewhere a browser asks before it reaches for loopback. */
export const isLoopbackPage = (hostname: string): boolean =>
  MODULE_HOSTS.includes(hostname) || hostname.endsWith('.localhost')

/** Where an address leads to, in short. */
export const originOf = (address: string): string => URL.parse(address)?.origin ?? address
