import type { ServeConfig } from '@storey/contract'
import { type ClientAddresses, createClientAddresses, parseRange } from '@storey/kit/client-address'

/**
 * Whom the stack trusts to name the address of a client. A stack on the machine of the gateway listens on loopback. In a
 * cluster it listens on its network, where gateways have changing addresses, and only they can reach it (the network
 * policy of the stack).
 */
export function gatewayAddresses(listen: ServeConfig['listen']): ClientAddresses {
  const ranges = listen === undefined ? ['127.0.0.0/8', '::1'] : ['0.0.0.0/0', '::/0']
  return createClientAddresses(ranges.map((text) => parseRange(text)!))
}
