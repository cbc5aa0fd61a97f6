import { problems, WEBHOOK_EVENTS } from '@storey/contract'
import { type AddressRefusal, AddressRefused, type Outbound } from '@storey/kit/outbound'

/** Throws UNKNOWN_EVENT for unknown names. Removes duplicates and keeps the order. */
export function checkEvents(names: readonly string[]): string[] {
  const known: readonly string[] = WEBHOOK_EVENTS
  const unknown = names.flatMap((name, i) => (known.includes(name) ? [] : [{ name, at: `/events/${i}` }]))
  if (unknown.length > 0) throw problems.unknownEvents(unknown, known)
  return [...new Set(names)]
}

const SENTENCES: Record<AddressRefusal, string> = {
  invalid_url: 'url must be a valid URL without a user name, spaces or control characters',
  not_https: 'url must begin with https://, or in development with http://',
  private_address: 'The host of url has an IP address that is not allowed',
  unresolvable: 'The host name of url does not resolve',
}

/**
 * URL parsers strip or convert these characters, so the address that is called would differ from the one that is shown.
 */
const ALTERED_BY_PARSERS = /[\s\\\p{Cc}\p{Cs}]/u

/**
 * Checks an address by the rules in kit/src/outbound. Reports why it is refused, and never which IP address was found.
 */
export async function checkAddress(outbound: Outbound, url: string): Promise<void> {
  try {
    if (ALTERED_BY_PARSERS.test(url)) throw new AddressRefused('invalid_url')
    await outbound.check(url)
  } catch (err) {
    if (err instanceof AddressRefused) throw problems.webhookUrlRejected(err.reason, SENTENCES[err.reason])
    throw err
  }
}
