import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A webhook receiver that accepts and counts all deliveries. */
export async function openReceiver() {
  let count = 0
  const server = createServer((request, response) => {
    count++
    request.resume().on('end', () => response.writeHead(204).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    close: () => void server.close(),
  }
}
