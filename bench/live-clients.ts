/**
 * Many clients of the live channel, in a separate process. They parse only the time and the sequence number of each
 * frame, because the clients share the machine with the service that is measured.
 */

import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

/** Opens `count` clients of this building. The process reports its progress after every `count` received events. */
export interface ClientsCommand {
  count: number
  port: number
  /** The value of the Host header. */
  host: string
  token: string
  buildingId: string
  /** If true, disconnected clients connect again after a second. Otherwise this process exits. */
  reconnects?: boolean
}

const RECONNECT_MS = 1_000

/**
 * The number of buckets for delays from the POST to the receipt. A bucket is a tenth of a millisecond wide; the last
 * one holds all longer delays.
 */
export const BUCKETS = 50_000

/** Messages to the process that started the clients. */
export type ClientsMessage = { type: 'tally'; tally: Tally } | { type: 'progress'; received: number }

export interface Tally {
  received: number
  lost: number
  joined: number
  /** The last event, as it was received. */
  sample: string
  /** Counts by bucket, without empty buckets. */
  delays: [bucket: number, count: number][]
}

const now = () => performance.timeOrigin + performance.now()
/** Sends a message to the parent process. Errors are ignored, because the parent may disconnect meanwhile. */
const report = (message: ClientsMessage) => process.connected && process.send!(message, undefined, {}, () => undefined)
let tally = emptyTally()
let sample: Buffer = Buffer.alloc(0)
let delays = new Uint32Array(BUCKETS)

function emptyTally() {
  return { received: 0, lost: 0, joined: 0 }
}

function open(command: ClientsCommand): void {
  const socket = connect(command.port, '127.0.0.1')
  socket.setNoDelay(true)
  const key = randomBytes(16).toString('base64')
  socket.write(
    `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${command.host}\r\nConnection: Upgrade\r\n` +
      `Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  )
  let rest: Buffer = Buffer.alloc(0)
  let upgraded = false
  let last: number | undefined
  const take = (payload: Buffer) => {
    const kind = payload.toString('latin1', 0, 2)
    if (kind[0] === '0') return send(socket, `40/buildings,${JSON.stringify({ token: command.token })}`)
    if (kind === '2') return send(socket, '3')
    if (kind === '40') return send(socket, `42/buildings,1["join","${command.buildingId}"]`)
    if (kind === '43') {
      last = numberAfter(payload, '"sequence":')
      tally.joined++
    }
    if (kind !== '42') return
    const sequence = numberAfter(payload, '"sequence":')
    tally.lost += sequence - last! - 1
    last = sequence
    sample = payload
    if (++tally.received % command.count === 0) report({ type: 'progress', received: tally.received })
    const tenths = Math.max(0, Math.round((now() - numberAfter(payload, '"value":"')) * 10))
    delays[Math.min(BUCKETS - 1, tenths)]!++
  }
  socket.on('error', (err) => {
    if (!command.reconnects) process.stderr.write(`${err.message}\n`)
  })
  socket.on('close', () => {
    if (command.reconnects) setTimeout(open, RECONNECT_MS, command)
    else process.exit(1)
  })
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    if (!upgraded) {
      const end = rest.indexOf('\r\n\r\n')
      if (end < 0) return
      if (!rest.toString('latin1', 0, 12).endsWith('101')) {
        if (command.reconnects) return void socket.destroy()
        throw new Error(rest.toString('latin1'))
      }
      upgraded = true
      rest = rest.subarray(end + 4)
    }
    for (;;) {
      if (rest.length < 2) return
      const short = rest[1]! & 127
      const header = short < 126 ? 2 : short === 126 ? 4 : 10
      if (rest.length < header) return
      const length = short < 126 ? short : short === 126 ? rest.readUInt16BE(2) : Number(rest.readBigUInt64BE(2))
      if (rest.length < header + length) return
      take(rest.subarray(header, header + length))
      rest = rest.subarray(header + length)
    }
  })
}

function numberAfter(payload: Buffer, mark: string): number {
  return Number.parseFloat(payload.toString('latin1', payload.lastIndexOf(mark) + mark.length, payload.length))
}

/** Sends a WebSocket text frame. Its mask is zero, so the payload is unchanged. */
function send(socket: Socket, text: string): void {
  const payload = Buffer.from(text)
  const length = payload.length < 126 ? [payload.length | 128] : [254, payload.length >> 8, payload.length & 255]
  socket.write(Buffer.concat([Buffer.from([129, ...length, 0, 0, 0, 0]), payload]))
}

process.on('message', (command: ClientsCommand | 'tally' | 'reset') => {
  if (command === 'reset') {
    tally = { ...emptyTally(), joined: tally.joined }
    delays = new Uint32Array(BUCKETS)
  } else if (command === 'tally') {
    const counted = [...delays.entries()].filter(([, count]) => count > 0)
    report({ type: 'tally', tally: { ...tally, sample: sample.toString(), delays: counted } })
  } else for (let i = 0; i < command.count; i++) setTimeout(open, i * 2, command)
})
process.on('disconnect', () => process.exit(0))
