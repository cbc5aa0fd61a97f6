import { Buffer } from 'node:buffer'

const VARINT = 0
const FIXED_64 = 1
const LENGTH_DELIMITED = 2
const FIXED_32 = 5

const TWO_32 = 2 ** 32
const MAX_VARINT_BYTES = 10
/** Up to this length a loop is faster than `Buffer.write`. */
const SHORT_TEXT = 48

/** Writes fields of the Protocol Buffers format into a buffer, which grows as necessary. */
export class ProtobufWriter {
  #bytes: Buffer
  #at: number

  /** The first `reserved` bytes are left free for what is written at the end. */
  constructor(capacity: number, reserved = 0) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity)
    this.#at = reserved
  }

  get bytes(): Buffer {
    return this.#bytes
  }

  get length(): number {
    return this.#at
  }

  /** A number from 0 to 2^53 - 1. */
  integer(field: number, value: number): void {
    this.#tag(field, VARINT, MAX_VARINT_BYTES)
    this.#varint(value)
  }

  /** A number that may be negative, as a 64-bit integer. */
  signedInteger(field: number, value: number): void {
    this.#tag(field, VARINT, MAX_VARINT_BYTES)
    if (value >= 0) this.#varint(value)
    else this.#negative(value)
  }

  double(field: number, value: number): void {
    this.#tag(field, FIXED_64, 8)
    this.#at = this.#bytes.writeDoubleLE(value, this.#at)
  }

  fixed32(field: number, value: number): void {
    this.#tag(field, FIXED_32, 4)
    this.#at = this.#bytes.writeUInt32LE(value, this.#at)
  }

  /** A time in milliseconds, with a fraction, as nanoseconds in a 64-bit field. */
  nanoseconds(field: number, ms: number): void {
    this.#tag(field, FIXED_64, 8)
    const whole = Math.trunc(ms)
    // The product exceeds 2^53, so it is computed in two parts.
    const low = (whole % TWO_32) * 1e6 + Math.trunc((ms - whole) * 1e6)
    this.#at = this.#bytes.writeUInt32LE(low % TWO_32, this.#at)
    this.#at = this.#bytes.writeUInt32LE(Math.trunc(whole / TWO_32) * 1e6 + Math.trunc(low / TWO_32), this.#at)
  }

  text(field: number, value: string): void {
    this.#tag(field, LENGTH_DELIMITED, MAX_VARINT_BYTES + 3 * value.length)
    const lengthAt = this.#at
    if (!this.#shortAscii(value)) {
      this.#at = lengthAt + 1
      this.#at += this.#bytes.write(value, this.#at, 'utf8')
    }
    this.#setLength(lengthAt)
  }

  /** Bytes that are given as hexadecimal digits in lower case. */
  hex(field: number, digits: string): void {
    this.#tag(field, LENGTH_DELIMITED, MAX_VARINT_BYTES + digits.length)
    const bytes = this.#bytes
    bytes[this.#at++] = digits.length / 2
    for (let i = 0; i < digits.length; i += 2)
      bytes[this.#at++] = (nibble(digits.charCodeAt(i)) << 4) | nibble(digits.charCodeAt(i + 1))
  }

  /** The beginning of a message whose length is known. */
  header(field: number, length: number): void {
    this.#tag(field, LENGTH_DELIMITED, MAX_VARINT_BYTES)
    this.#varint(length)
  }

  /** Begins a message inside the current message. Pass the result to {@link end}. */
  begin(field: number): number {
    this.#tag(field, LENGTH_DELIMITED, MAX_VARINT_BYTES)
    return this.#at++
  }

  end(begun: number): void {
    this.#room(MAX_VARINT_BYTES)
    this.#setLength(begun)
  }

  #tag(field: number, type: number, valueBytes: number): void {
    this.#room(valueBytes + 2)
    this.#varint((field << 3) | type)
  }

  #varint(value: number): void {
    let rest = value
    for (; rest > 127; rest = Math.trunc(rest / 128)) this.#bytes[this.#at++] = (rest % 128) | 128
    this.#bytes[this.#at++] = rest
  }

  #negative(value: number): void {
    let rest = BigInt.asUintN(64, BigInt(value))
    for (; rest > 127n; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 127n) | 128
    this.#bytes[this.#at++] = Number(rest)
  }

  /** Writes a short ASCII text. Returns false if the text is longer, or is not ASCII. */
  #shortAscii(value: string): boolean {
    if (value.length > SHORT_TEXT) return false
    const bytes = this.#bytes
    let at = this.#at + 1
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i)
      if (code > 127) return false
      bytes[at++] = code
    }
    this.#at = at
    return true
  }

  /** One byte is reserved for the length. If the length needs more bytes, the content after it is moved. */
  #setLength(lengthAt: number): void {
    const length = this.#at - lengthAt - 1
    if (length < 128) {
      this.#bytes[lengthAt] = length
      return
    }
    const more = Math.trunc(Math.log2(length) / 7)
    this.#bytes.copyWithin(lengthAt + 1 + more, lengthAt + 1, this.#at)
    const end = this.#at + more
    this.#at = lengthAt
    this.#varint(length)
    this.#at = end
  }

  #room(bytes: number): void {
    const needed = this.#at + bytes
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}

/** The value of a hexadecimal digit: the low four bits of its code, plus nine for `a` to `f`. */
const nibble = (code: number): number => (code & 15) + (code >> 6) * 9
