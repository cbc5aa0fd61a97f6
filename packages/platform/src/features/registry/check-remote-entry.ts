import { isIPv4, isIPv6 } from 'node:net'
import { isModuleAddress, MODULE_HOSTS, problems } from '@storey/contract'
import { AddressRefused, type Outbound } from '@storey/kit/outbound'

/**
 * Matches a scheme, host, port and path that every parser reads the same way: no user, backslash or fragment, and no
 * character that a parser removes.
 */
const PLAIN = /^(https?):\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?\/[^\\#\s\p{Cc}\p{Cf}\p{Cs}]*$/u

/**
 * Checks the address of a module, and returns its normalized form. With the setting SHELL_MODULE_ROUTE=on, the console
 * loads modules from the developer's machine, and the address must be http on one of `MODULE_HOSTS`. With `off`, the
 * console loads no modules, and the address must be public https.
 */
export async function checkRemoteEntry(url: string, moduleRoute: 'on' | 'off', outbound: Outbound): Promise<string> {
  const { scheme, host, href } = read(url)
  if (moduleRoute === 'on') {
    if (isModuleAddress(new URL(href))) return href
    throw refused(`must be http on ${MODULE_HOSTS.join(' or ')}`)
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
  // If the parser changed the host (127.1 becomes 127.0.0.1), another parser may read it differently.
  if (!scheme || !host || parsed?.hostname !== host) {
    throw refused('must be a plain http or https URL: a host in lower case, an optional port and a path')
  }
  return { scheme, host, href: parsed.href }
}

const isAddress = (host: string) => isIPv4(host) || isIPv6(host.slice(1, -1))
const isName = (host: string) => host.includes('.') && !host.endsWith('.')

const refused = (rule: string) => problems.field('remoteEntryUrl', `remoteEntryUrl ${rule}`)
