export { type AddressRefusal, AddressRefused, OutboundFailed } from './errors.ts'
export type { OutboundAnswer, OutboundRequest } from './exchange.ts'
export { createOutbound, type Outbound, type OutboundOptions } from './outbound.ts'
export { isPublicAddress } from './public-address.ts'
