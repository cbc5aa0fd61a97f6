import type { LookupFunction } from 'node:net'

const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** Whether the name means this machine by definition (RFC 6761), even if the system's resolver does not know it. */
export const isLoopbackName = (hostname: string): boolean => hostname === 'localhost' || hostname.endsWith('.localhost')

/** Resolves `localhost` and `*.localhost` to the loopback addresses, IPv4 first. */
export const resolveLoopback: LookupFunction = (_hostname, { all }, found) => {
  if (all) found(null, LOOPBACK)
  else found(null, LOOPBACK[0]!.address, LOOPBACK[0]!.family)
}
