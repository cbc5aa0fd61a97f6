import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { lengthDigits, lengthOf, MAX_PUBLISH_BYTES, PUBLISH } from './framing.ts'

/**
 * A broker connection that truncates messages above the limit, because the MQTT client's parser would read even a
 * message of 256 MB into memory.
 */
export class TruncatingSocket extends Duplex {
  readonly #socket: Socket
  readonly #header: number[] = []
  #pass = 0
  #drop = 0

  constructor(socket: Socket) {
    super()
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#feed(chunk))
    socket.on('end', () => this.push(null))
    socket.on('error', (err) => this.destroy(err))
    socket.on('close', () => this.destroy())
  }

  #feed(chunk: Buffer): void {
    const pieces: Buffer[] = []
    for (let at = 0; at < chunk.length; ) {
      if (this.#pass + this.#drop === 0) {
        this.#readHeader(chunk[at++]!, pieces)
        continue
      }
      const passed = chunk.subarray(at, at + this.#pass)
      this.#pass -= passed.length
      if (passed.length > 0) pieces.push(passed)
      at += passed.length
      const dropped = Math.min(this.#drop, chunk.length - at)
      this.#drop -= dropped
      at += dropped
    }
    if (pieces.length > 0 && !this.push(Buffer.concat(pieces))) this.#socket.pause()
  }

  #readHeader(byte: number, pieces: Buffer[]): void {
    this.#header.push(byte)
    const [type = 0, ...digits] = this.#header
    if (digits.length === 0 || (byte >= 128 && digits.length < 4)) return
    this.#header.length = 0
    const length = lengthOf(digits)
    this.#pass = type >> 4 === PUBLISH ? Math.min(length, MAX_PUBLISH_BYTES + 1) : length
    this.#drop = length - this.#pass
    pieces.push(Buffer.from([type, ...lengthDigits(this.#pass)]))
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: string, done: (err?: Error | null) => void): void {
    this.#socket.write(chunk, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(err: Error | null, done: (err: Error | null) => void): void {
    this.#socket.destroy()
    done(err)
  }
}

/** Connects to an address that begins with `mqtt://` or `mqtts://`. */
export function openTruncating({ protocol, hostname, port }: URL): TruncatingSocket {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'mqtts:') return new TruncatingSocket(connectTcp({ host, port: Number(port || 1883) }))
  const servername = isIP(host) ? {} : { servername: host }
  return new TruncatingSocket(connectTls({ host, port: Number(port || 8883), ...servername }))
}
