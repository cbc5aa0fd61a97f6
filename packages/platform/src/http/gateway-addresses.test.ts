import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { gatewayAddresses } from './gateway-addresses.ts'

const from = (remoteAddress: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': '203.0.113.9' } }) as unknown as IncomingMessage
const IN_CLUSTER = { host: '0.0.0.0', port: 8080 }

it.each([
  ['the header of a gateway on this machine', undefined, '127.0.0.1', '203.0.113.9'],
  ['the socket of another machine, which cannot be the gateway', undefined, '10.42.0.7', '10.42.0.7'],
  ['the header of a gateway in a pod of the cluster', IN_CLUSTER, '10.42.0.7', '203.0.113.9'],
  ['the header of a gateway in a pod with an IPv6 address', IN_CLUSTER, 'fd00::7', '203.0.113.9'],
])('the address of a client is taken from %s', (_where, listen, remote, client) => {
  expect(gatewayAddresses(listen).clientAddress(from(remote))).toBe(client)
})
