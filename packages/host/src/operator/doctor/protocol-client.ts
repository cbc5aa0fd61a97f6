import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

const LIMIT_MS = 8_000

export interface Endpoint {
  host: string
  port: number
  isTls: boolean
}

/**
 * A connection to a broker. `exchange` sends bytes, and resolves when `isDone` returns true for the received bytes.
 * After 8 seconds `exchange` rejects.
 */
export class ProtocolClient {
  socket: Socket
  received = Buffer.alloc(0)

  private constructor(socket: Socket) {
    this.socket = socket
  }

  static async open({ host, port, isTls }: Endpoint): Promise<ProtocolClient> {
    const socket = isTls
      ? connectTls({ host, port, ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }) })
      : connectTcp({ host, port })
    await once(socket, isTls ? 'secureConnect' : 'connect')
    return new ProtocolClient(socket)
  }

  /** Continues the connection with TLS. */
  async secure(host: string): Promise<void> {
    const socket = connectTls({ socket: this.socket, ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }) })
    await once(socket, 'secureConnect')
    this.socket = socket
  }

  async exchange(sent: Buffer | string, isDone: (received: Buffer) => boolean): Promise<Buffer> {
    this.received = Buffer.alloc(0)
    const { socket } = this
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => end(new Error(`no answer within ${LIMIT_MS / 1000} seconds`)), LIMIT_MS)
      const end = (err?: Error) => {
        clearTimeout(timer)
        socket.off('data', onData).off('error', end).off('close', onClose)
        if (err) reject(err)
        else resolve(this.received)
      }
      const onData = (chunk: Buffer) => {
        this.received = Buffer.concat([this.received, chunk])
        if (isDone(this.received)) end()
      }
      const onClose = () => end(new Error('the connection was closed'))
      socket.on('data', onData).on('error', end).on('close', onClose)
      if (sent.length > 0) socket.write(sent)
    })
  }

  close(): void {
    this.socket.destroy()
  }
}

function once(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${LIMIT_MS / 1000} seconds`)), LIMIT_MS)
    const onError = (err: Error) => {
      clearTimeout(timer)
      reject(err)
    }
    socket.once('error', onError)
    socket.once(event, () => {
      clearTimeout(timer)
      socket.off('error', onError)
      resolve()
    })
  })
}
