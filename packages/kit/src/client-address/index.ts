export { type AddressRange, isInRange, parseRange, plainBytes } from './address-range.ts'
export { addressGroup, addressNetwork, canonicalAddress } from './address-text.ts'
export { type Arrival, type ClientAddresses, createClientAddresses, directAddresses } from './client-address.ts'
export { type ProxyHeader, readProxyHeader } from './proxy-protocol.ts'
