import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface DatabaseProxy {
  /** The URL of the database through the proxy. */
  url: string
  close(): void
}

/** A TCP proxy in front of a database. `link` gets both ends of each connection, and forwards the data between them. */
export async function startProxy(url: string, link: (client: Socket, server: Socket) => void): Promise<DatabaseProxy> {
  const { port, hostname } = new URL(url)
  const sockets = new Set<Socket>()
  const listener = createServer((client) => {
    const server = connect(Number(port), hostname)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    link(client, server)
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const through = new URL(url)
  through.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  return {
    url: through.href,
    close() {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

export interface Network extends DatabaseProxy {
  /** How many connections have been opened so far. */
  count(): number
  /** From now on, nothing passes, on open and on new connections. */
  freeze(): void
  thaw(): void
  /** From now on, open connections drop all data; neither end is notified. New connections work. */
  loseAll(): void
}

/** A TCP proxy between a program and its database. `change` changes what the database sends. */
export async function startNetwork(url: string, change = (data: Buffer) => data): Promise<Network> {
  const links: { client: Socket; server: Socket; isLost: boolean }[] = []
  let isFrozen = false
  const proxy = await startProxy(url, (client, server) => {
    const link = { client, server, isLost: false }
    links.push(link)
    client.on('data', (data) => link.isLost || server.write(data))
    server.on('data', (data: Buffer) => link.isLost || client.write(change(data)))
    client.on('close', () => link.isLost || server.destroy())
    server.on('close', () => link.isLost || client.destroy())
    if (isFrozen) for (const socket of [client, server]) socket.pause()
  })
  return {
    ...proxy,
    count: () => links.length,
    freeze() {
      isFrozen = true
      for (const { client, server } of links) for (const socket of [client, server]) socket.pause()
    },
    thaw() {
      isFrozen = false
      for (const { client, server } of links) for (const socket of [client, server]) socket.resume()
    },
    loseAll() {
      for (const link of links) link.isLost = true
    },
  }
}
