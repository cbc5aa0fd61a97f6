import { EventEmitter } from 'node:events'
import type { Socket } from 'socket.io'
import { frameOf } from '../broadcast.ts'

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

/**
 * A substitute for an Engine.IO connection. Its client receives the written packets only when `read` is called; a
 * polling client then sends its next poll.
 */
export function createConnection(name: 'websocket' | 'polling' = 'websocket') {
  const writeBuffer: Packet[] = []
  const written: Packet[] = []
  const received: Received[] = []
  const transport = Object.assign(new EventEmitter(), { name, writable: true })
  const conn = Object.assign(new EventEmitter(), {
    ...{ transport, writeBuffer },
    send(message: string, options?: { wsPreEncodedFrame: [Buffer] }, onWritten?: () => void) {
      const [bytes] = options?.wsPreEncodedFrame ?? [Buffer.concat(frameOf(Buffer.from(`4${message}`)))]
      writeBuffer.push({ bytes, onWritten })
      flush()
    },
  })
  function flush(): void {
    if (!transport.writable || writeBuffer.length === 0) return
    transport.writable = false
    const packets = writeBuffer.splice(0)
    written.push(...packets)
    // The answer to a poll is written at once.
    if (name === 'polling') reportWritten(packets)
    conn.emit('drain')
  }
  function reportWritten(packets: readonly Packet[]): void {
    transport.emit('drain')
    for (const { onWritten } of packets) onWritten?.()
  }
  return {
    socket: { conn } as unknown as Socket,
    received,
    /** The bytes that the client has not taken yet. */
    unread: () => [...written, ...writeBuffer].map(({ bytes }) => bytes),
    read(): void {
      const taken = written.splice(0)
      for (const { bytes } of taken) received.push(...eventsIn(bytes))
      if (name === 'websocket') reportWritten(taken)
      transport.writable = true
      flush()
      transport.emit('ready')
    },
  }
}
