import { isIPv4, isIPv6 } from 'node:net'
import { MODULE_HOSTS, problems } from '@storey/contract'
import { AddressRefused, type Outbound } from '@storey/kit/outbound'

/** Scheme, host, port and path as everybody reads them: no user, no backslash, no fragment, nothing that a parser takes away. */
const PLAIN = /^(https?):\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?\/[^\\#\s\p{Cc}\p{Cf}\p{Cs}]*$/u

/**
 * Where a module may be loaded from, in the form that was checked. A shell with the generic route takes modules from the
 * developer's own machine, and one without it from public https alone.
 */
export async function checkRemoteEntry(url: string, moduleRoute: 'on' | 'off', outbound: Outbound): Promise<string> {
  const { scheme, host, href } = read(url)
  if (moduleRoute === 'on') {
    if (scheme === 'http' && MODULE_HOSTS.includes(host)) return href
    throw refused('must be http on localhost or 127.0.0.1')
  }
  if (scheme !== 'https' || !(isAddress(host) || isName(host))) throw refused('must be public https')
  try {
    await outbound.check(href)
    return href
  } catch (err) {
    if (!(err instanceof AddressRefused)) throw err
    throw refused('must be public https')
  }
}

function read(url: string): { scheme: string; host: string; href: string } {
  const [, scheme, host] = PLAIN.exec(url) ?? []
  const parsed = URL.parse(url)
  // Another host than the one that stands there: 127.1 and the like.
  if (!scheme || !host || parsed?.hostname !== host) {
    throw refused('must be http or https, a host in lower case, a port and a path, and nothing else')
  }
  return { scheme, host, href: parsed.href }
}

const isAddress = (host: string) => isIPv4(host) || isIPv6(host.slice(1, -1))
const isName = (host: string) => host.includes('.') && !host.endsWith('.')

const refused = (rule: string) => problems.field('remoteEntryUrl', `remoteEntryUrl ${rule}`)
