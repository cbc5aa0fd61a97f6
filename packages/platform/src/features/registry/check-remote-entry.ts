import { problems } from '@storey/contract'
import { AddressRefused, type Outbound } from '@storey/kit/outbound'

const LOOPBACK = ['localhost', '127.0.0.1']

/**
 * Where a module may be loaded from. A shell with the generic route takes modules from the developer's own machine,
 * and one without it from public https alone.
 */
export async function checkRemoteEntry(url: string, moduleRoute: 'on' | 'off', outbound: Outbound): Promise<void> {
  if (moduleRoute === 'on') {
    const parsed = URL.canParse(url) ? new URL(url) : undefined
    const isOwn = parsed?.protocol === 'http:' && LOOPBACK.includes(parsed.hostname)
    if (isOwn && parsed.username === '' && parsed.password === '') return
    throw refused('must be http on localhost or 127.0.0.1')
  }
  try {
    await outbound.check(url)
  } catch (err) {
    if (!(err instanceof AddressRefused)) throw err
    throw refused('must be public https')
  }
}

const refused = (rule: string) => problems.field('remoteEntryUrl', `remoteEntryUrl ${rule}`)
