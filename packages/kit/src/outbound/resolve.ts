import { lookup, Resolver } from 'node:dns/promises'

/** All addresses of a name. Throws when there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/** So long an answer is used again: a receiver of a thousand deliveries a second is not asked for a thousand times. */
const REMEMBERED_MS = 1_000

/**
 * Asks the name servers of the system without a thread. The system's own call blocks one of the few threads of the
 * process for as long as a name server is silent, so two names of somebody with a silent one would stop everyone's.
 */
export function createResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  const remembered = new Map<string, Promise<readonly string[]>>()

  async function ask(hostname: string): Promise<readonly string[]> {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    // IPv4 is first: a machine without a way to IPv6 is more common than the opposite.
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    const slow = answers.find((answer) => answer.status === 'rejected' && !FAST.has(answer.reason?.code))
    if (slow?.status === 'rejected') throw slow.reason
    // No name server knows it: the hosts file may, and the system does not take long to say so.
    return (await lookup(hostname, { all: true })).map(({ address }) => address)
  }

  return (hostname) => {
    const known = remembered.get(hostname)
    if (known !== undefined) return known
    const asked = ask(hostname)
    remembered.set(hostname, asked)
    asked.then(
      () => setTimeout(() => remembered.delete(hostname), REMEMBERED_MS).unref(),
      () => remembered.delete(hostname),
    )
    return asked
  }
}

/** Answers that came at once, and that the system's own call gets at once too. */
const FAST = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'])
