/**
 * An HTTP server that accepts and discards the traces that Storey exports, and prints its port. It is a process of its
 * own, so that it takes no CPU time from the process that sends the load.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(200).end())
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
process.once('disconnect', () => process.exit())
