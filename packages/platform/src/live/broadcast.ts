import type { Socket } from 'socket.io'

type Connection = Socket['conn']

/** Messages for many connections. The WebSocket frames are built once and shared. */
export interface Broadcast {
  sendTo(conn: Connection): void
}

export function createBroadcast(messages: readonly string[]): Broadcast {
  let options: Parameters<Connection['send']>[1] | undefined
  return {
    sendTo(conn) {
      // A poll is answered with all waiting messages, each in its own packet.
      if (conn.transport.name !== 'websocket') for (const message of messages) conn.send(message)
      else {
        options ??= framed(messages)
        conn.send(messages[0]!, options)
      }
    },
  }
}

/**
 * Engine.IO sends the bytes of `wsPreEncodedFrame` instead of the message. Socket.IO's own adapter uses this option to
 * build a frame once for all sockets. Here the bytes are the frames of several messages, so that one write sends them
 * all.
 */
function framed(messages: readonly string[]) {
  const bytes = Buffer.concat(messages.flatMap((message) => frameOf(Buffer.from(`4${message}`))))
  return { compress: false, wsPreEncodedFrame: [bytes] }
}

/** A text frame of a server: final and unmasked (RFC 6455, 5.2). */
export function frameOf(payload: Buffer): [header: Buffer, payload: Buffer] {
  const { length } = payload
  const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  header[0] = 0x81
  header[1] = length < 126 ? length : length < 65_536 ? 126 : 127
  if (header.length === 4) header.writeUInt16BE(length, 2)
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2)
  return [header, payload]
}
