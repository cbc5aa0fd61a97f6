import { problems, WEBHOOK_EVENTS } from '@storey/contract'
import { type AddressRefusal, AddressRefused, type Outbound } from '@storey/kit/outbound'

/** Each name once, in the order in which they were given. */
export function checkEvents(names: readonly string[]): string[] {
  const unknown = names.find((name) => !(WEBHOOK_EVENTS as readonly string[]).includes(name))
  if (unknown !== undefined) throw problems.unknownEvent(unknown, WEBHOOK_EVENTS)
  return [...new Set(names)]
}

const SENTENCES: Record<AddressRefusal, string> = {
  invalid_url: 'url is not an address that can be posted to',
  not_https: 'url must begin with https://',
  private_address: 'url does not lead to a public address',
  unresolvable: 'The host of url cannot be found',
}

/** Says why an address is refused, and never which one was found. */
export async function checkAddress(outbound: Outbound, url: string): Promise<void> {
  try {
    await outbound.check(url)
  } catch (err) {
    if (err instanceof AddressRefused) throw problems.webhookUrlRejected(err.reason, SENTENCES[err.reason])
    throw err
  }
}
