import { EventEmitter } from 'node:events'
import type { Socket } from 'socket.io'

/** A received event: its number, and the value of each point. */
export interface Received {
  sequence: number
  values: Record<string, string>
}

interface Packet {
  bytes: Buffer
  onWritten?: (() => void) | undefined
}

/** Reads the events in WebSocket frames of 126 to 65,535 bytes. */
function* eventsIn(frames: Buffer): Generator<Received> {
  for (let at = 0; at < frames.length; ) {
    const end = at + 4 + frames.readUInt16BE(at + 2)
    const [, { observations }, { sequence }] = JSON.parse(
      frames.toString('utf8', at + 4, end).replace('42/buildings,', ''),
    )
    const pairs = observations.map(({ pointId, value }: Record<string, string>) => [pointId, value])
    yield { sequence, values: Object.fromEntries(pairs) }
    at = end
  }
}

/** A connection whose client takes the packets that were written only when `read` is called. */
export function createConnection() {
  const waiting: Packet[] = []
  const written: Packet[] = []
  const received: Received[] = []
  const transport = Object.assign(new EventEmitter(), { name: 'websocket', writable: true })
  const conn = Object.assign(new EventEmitter(), {
    transport,
    send(_message: string, options: { wsPreEncodedFrame: [Buffer] }, onWritten?: () => void) {
      waiting.push({ bytes: options.wsPreEncodedFrame[0], onWritten })
      flush()
    },
  })
  function flush(): void {
    if (!transport.writable || waiting.length === 0) return
    transport.writable = false
    written.push(...waiting.splice(0))
    conn.emit('drain')
  }
  return {
    socket: { conn } as unknown as Socket,
    received,
    /** The bytes that the client has not taken yet. */
    unread: () => [...written, ...waiting].map(({ bytes }) => bytes),
    read(): void {
      const taken = written.splice(0)
      for (const { bytes } of taken) received.push(...eventsIn(bytes))
      transport.emit('drain')
      for (const { onWritten } of taken) onWritten?.()
      transport.writable = true
      flush()
    },
  }
}
