import { problems, WEBHOOK_EVENTS } from '@storey/contract'
import { type AddressRefusal, AddressRefused, type Outbound } from '@storey/kit/outbound'

/** Each name once, in the order in which they were given. */
export function checkEvents(names: readonly string[]): string[] {
  const known: readonly string[] = WEBHOOK_EVENTS
  const unknown = names.flatMap((name, i) => (known.includes(name) ? [] : [{ name, at: `/events/${i}` }]))
  if (unknown.length > 0) throw problems.unknownEvents(unknown, known)
  return [...new Set(names)]
}

const SENTENCES: Record<AddressRefusal, string> = {
  invalid_url: 'url is not an address that can be posted to',
  not_https: 'url must begin with https://, or in development with http://',
  private_address: 'url does not lead to a public address',
  unresolvable: 'The host of url cannot be found',
}

/** A reader of addresses would take these away or turn them, and another address be called than the one shown. */
const MENDED = /[\s\\\p{Cc}\p{Cs}]/u

/** Says why an address is refused, and never which one was found. */
export async function checkAddress(outbound: Outbound, url: string): Promise<void> {
  try {
    if (MENDED.test(url)) throw new AddressRefused('invalid_url')
    await outbound.check(url)
  } catch (err) {
    if (err instanceof AddressRefused) throw problems.webhookUrlRejected(err.reason, SENTENCES[err.reason])
    throw err
  }
}
