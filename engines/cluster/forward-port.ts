import { createConnection, createServer, type Socket } from 'node:net'

/** Forwards connections to a port on loopback to an address of the cluster, as a load balancer in front of it does. */
export async function forwardPort(port: number, target: { host: string; port: number }): Promise<{ close(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = createConnection(target)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(one)
          other.destroy()
        })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
