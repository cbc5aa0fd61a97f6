import { connect, type Socket } from 'node:net'

export interface RawSocket {
  socket: Socket
  /** Everything received so far. */
  received(): Buffer
  write(bytes: string | Buffer): void
  /** Resolves when either side has closed the connection, with the milliseconds since it was opened. */
  closed: Promise<number>
  /** Returns the received bytes when they satisfy the condition, the connection is closed or the time is over. */
  until(condition: (received: string) => boolean, limitMs?: number): Promise<string>
  end(): void
}

/** The attacker's address. The owner and the neighbours use other addresses, so that the attacker does not use up their limits. */
export const ATTACKER = '127.0.0.66'

/** A bare TCP connection to a loopback port, without a client library. */
export async function openRawSocket(port: number, localAddress = ATTACKER): Promise<RawSocket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress })
  const openedAt = Date.now()
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => undefined)
  const closed = new Promise<number>((resolve) => socket.once('close', () => resolve(Date.now() - openedAt)))
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const received = () => Buffer.concat(chunks)
  return {
    socket,
    received,
    write: (bytes) => void (socket.destroyed || socket.write(bytes)),
    closed,
    async until(condition, limitMs = 5_000) {
      for (const deadline = Date.now() + limitMs; Date.now() < deadline && !socket.destroyed; ) {
        if (condition(received().toString('latin1'))) break
        await changed(socket)
      }
      return received().toString('latin1')
    },
    end: () => socket.destroy(),
  }
}

/** Resolves when something arrives or the connection closes, and after 5 ms, since a condition may depend on the time. */
function changed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      socket.off('data', end).off('close', end)
      resolve()
    }
    const timer = setTimeout(end, 5)
    socket.once('data', end).once('close', end)
  })
}
