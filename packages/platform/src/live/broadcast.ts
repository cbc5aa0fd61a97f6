import type { Socket } from 'socket.io'

type Connection = Socket['conn']
type Packet = [message: string, options?: Parameters<Connection['send']>[1]]

/** Messages for many connections, in order. The WebSocket frames are built once and shared. */
export interface Broadcast {
  /**
   * What to pass to `conn.send`, so that it sends the messages from this index on. A WebSocket gets them all in one
   * packet. A poll, which is answered with all waiting packets, gets one packet for each message.
   */
  packetsFor(conn: Connection, from?: number): Packet[]
  sendTo(conn: Connection, from?: number): void
}

export function createBroadcast(messages: readonly string[]): Broadcast {
  let frames: Frames | undefined

  function packetsFor(conn: Connection, from = 0): Packet[] {
    if (from >= messages.length) return []
    if (conn.transport.name !== 'websocket') return messages.slice(from).map((message) => [message])
    frames ??= framesOf(messages)
    return [['', preEncoded(frames, from)]]
  }

  return {
    packetsFor,
    sendTo(conn, from) {
      for (const packet of packetsFor(conn, from)) conn.send(...packet)
    },
  }
}

interface Frames {
  bytes: Buffer
  /** Where the frame of each message begins. */
  starts: number[]
}

function framesOf(messages: readonly string[]): Frames {
  const starts: number[] = []
  const parts: Buffer[] = []
  let length = 0
  for (const message of messages) {
    const frame = frameOf(Buffer.from(`4${message}`))
    starts.push(length)
    parts.push(...frame)
    length += frame[0].length + frame[1].length
  }
  return { bytes: Buffer.concat(parts, length), starts }
}

/**
 * Engine.IO sends the bytes of `wsPreEncodedFrame` instead of the message. Socket.IO's own adapter uses this option to
 * build a frame once for all sockets. Without it, the message would be encoded again for each socket. Here the bytes
 * are the frames of several messages, so that one write sends them all.
 */
const preEncoded = ({ bytes, starts }: Frames, from: number) => ({
  compress: false,
  wsPreEncodedFrame: [bytes.subarray(starts[from])],
})

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
