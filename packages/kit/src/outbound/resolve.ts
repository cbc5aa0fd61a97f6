import { lookup, Resolver } from 'node:dns/promises'

/** Returns all addresses of a name. Throws if there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/** How long a result is cached, so that a thousand deliveries a second do not cause a thousand lookups. */
const REMEMBERED_MS = 1_000

/**
 * Queries the name servers of the system without occupying a thread. The system's own call (getaddrinfo) blocks one
 * of the few threads of the process until a name server responds, so a few names with an unresponsive name server
 * would block all lookups.
 */
export function createResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  const remembered = new Map<string, Promise<readonly string[]>>()

  async function ask(hostname: string): Promise<readonly string[]> {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    // IPv4 first: machines without IPv6 are more common than machines without IPv4.
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    const slow = answers.find((answer) => answer.status === 'rejected' && !FAST.has(answer.reason?.code))
    if (slow?.status === 'rejected') throw slow.reason
    // The name servers returned no address, but the hosts file may contain one. The system's own call reads that file,
    // and returns quickly in this case.
    return (await lookup(hostname, { all: true })).map(({ address }) => address)
  }

  return (hostname) => {
    const known = remembered.get(hostname)
    if (known !== undefined) return known
    const lookup = ask(hostname)
    remembered.set(hostname, lookup)
    lookup.then(
      () => setTimeout(() => remembered.delete(hostname), REMEMBERED_MS).unref(),
      () => remembered.delete(hostname),
    )
    return lookup
  }
}

/** Errors after which the system's own call returns quickly: the name servers responded or refused the connection. */
const FAST = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'])
