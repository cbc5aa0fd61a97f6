import { createConnection, createServer, type Socket } from 'node:net'

export interface Forwarded {
  port: number
  /** Forwards new connections to another address, and ends the connections to the previous address. */
  moveTo(target: Target): void
  close(): Promise<void>
}

interface Target {
  host: string
  port: number
}

/** Listens on a port of loopback (0: any free one), and forwards connections to an address, as a load balancer does. */
export async function forwardPort(port: number, first: Target): Promise<Forwarded> {
  let target = first
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
  const endAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as { port: number }).port,
    moveTo(next) {
      target = next
      endAll()
    },
    close: () =>
      new Promise<void>((resolve) => {
        endAll()
        server.close(() => resolve())
      }),
  }
}
