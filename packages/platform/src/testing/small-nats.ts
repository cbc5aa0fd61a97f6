import { createServer, type Socket } from 'node:net'

export interface SmallNats {
  url: string
  port: number
  /** The subjects to which clients have subscribed. */
  subjects(): string[]
  /** The CONNECT messages of the clients. */
  greetings: Record<string, unknown>[]
  /** Publishes a message as a client would. */
  publish(subject: string, payload: string): void
  /** How many messages the clients have published. */
  published(): number
  /** Stops reading from its clients. Returns a function that resumes reading. */
  stall(): () => void
  close(): Promise<void>
}

/** Starts a server with the part of NATS that a bus needs: it sends messages of a client to the other subscribers. */
export async function startSmallNats(port = 0, maxBytes = 1_048_576): Promise<SmallNats> {
  const clients = new Map<Socket, Map<string, string>>()
  const greetings: SmallNats['greetings'] = []
  let published = 0
  const pass = (from: Socket | undefined, subject: string, payload: Buffer) => {
    for (const [socket, subscriptions] of clients) {
      for (const [sid, wanted] of subscriptions) {
        const fits = wanted.endsWith('.>') ? subject.startsWith(wanted.slice(0, -1)) : wanted === subject
        if (socket === from || !fits) continue
        socket.write(`MSG ${subject} ${sid} ${payload.length}\r\n`)
        socket.write(Buffer.concat([payload, Buffer.from('\r\n')]))
      }
    }
  }
  const server = createServer((socket) => {
    const subscriptions = new Map<string, string>()
    let unread: Buffer = Buffer.alloc(0)
    clients.set(socket, subscriptions)
    socket.on('error', () => undefined).on('close', () => clients.delete(socket))
    const info = { server_id: 'small', version: '2.10.0', proto: 1, max_payload: maxBytes }
    socket.write(`INFO ${JSON.stringify(info)}\r\n`)
    socket.on('data', (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk])
      for (let end = unread.indexOf('\r\n'); end >= 0; end = unread.indexOf('\r\n')) {
        const [verb, first = '', second = ''] = unread.toString('utf8', 0, end).split(' ')
        const length = verb === 'PUB' ? Number(second) + 2 : 0
        if (unread.length < end + 2 + length) return
        if (verb === 'CONNECT') greetings.push(JSON.parse(unread.toString('utf8', 8, end)))
        if (verb === 'PING') socket.write('PONG\r\n')
        if (verb === 'SUB') subscriptions.set(second, first)
        if (verb === 'UNSUB') subscriptions.delete(first)
        if (verb === 'PUB') published++
        if (verb === 'PUB') pass(socket, first, unread.subarray(end + 2, end + length))
        unread = unread.subarray(end + 2 + length)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: chosen } = server.address() as { port: number }
  return {
    url: `nats://127.0.0.1:${chosen}`,
    port: chosen,
    subjects: () => [...clients.values()].flatMap((subscriptions) => [...subscriptions.values()]),
    greetings,
    publish: (subject, payload) => pass(undefined, subject, Buffer.from(payload)),
    published: () => published,
    stall() {
      for (const socket of clients.keys()) socket.pause()
      return () => {
        for (const socket of clients.keys()) socket.resume()
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of clients.keys()) socket.destroy()
      }),
  }
}
