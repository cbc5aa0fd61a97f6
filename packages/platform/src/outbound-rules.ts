import type { ServeConfig } from '@storey/contract'
import { type AddressRange, parseRange } from '@storey/kit/client-address'
import type { OutboundOptions } from '@storey/kit/outbound'

/**
 * The addresses that webhooks may have. Addresses with http are allowed only in development. Outside development, a
 * loopback address is allowed only if `webhookRanges.allowed` has a range that contains it and consists of loopback
 * addresses. A stack sends nothing else to addresses that users choose: modules run in the browser, where the content
 * security policy limits their connections (`kit/src/web/policy.ts`).
 */
export function outboundRules({ mode, webhookRanges }: ServeConfig): OutboundOptions {
  return {
    allowLocal: mode === 'development',
    allowed: rangesOf(webhookRanges?.allowed),
    denied: rangesOf(webhookRanges?.denied),
  }
}

function rangesOf(texts: readonly string[] = []): AddressRange[] {
  return texts.map((text) => {
    const range = parseRange(text)
    if (!range) throw new Error(`${text} is not an address range`)
    return range
  })
}
