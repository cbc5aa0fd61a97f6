import type { ServeConfig } from '@storey/contract'
import { type ClientAddresses, createClientAddresses, parseRange } from '@storey/kit/client-address'

/**
 * Whom the stack trusts to name the address of a client. A stack on the machine of the gateway listens on loopback. In
 * a cluster a stack listens on all addresses of its pod, and gateways have changing addresses. There every sender is
 * trusted, because the network policy of the pod admits only gateways.
 */
export function gatewayAddresses(listen: ServeConfig['listen']): ClientAddresses {
  const ranges = listen === undefined ? ['127.0.0.0/8', '::1'] : ['0.0.0.0/0', '::/0']
  return createClientAddresses(ranges.map((text) => parseRange(text)!))
}
