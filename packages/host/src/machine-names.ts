import { hostname, networkInterfaces } from 'node:os'

/** The name and the addresses of this machine, as a Host header spells them. */
export function machineNames(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return [
    hostname(),
    `${hostname()}.local`,
    ...addresses.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address)),
  ]
}
