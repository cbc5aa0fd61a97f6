import { DIRECT_BODY_BYTES } from '@storey/contract'

/** A plain PUBLISH packet, as `readPlainPublish` defines it. */
export interface PlainPublish {
  kind: 'publish'
  /** The length of the whole packet. */
  length: number
  payloadAt: number
  messageId: number
}

/** The packet at a position: `incomplete` if more bytes are needed, `other` if the broker has to read it. */
export type PlainPacket = PlainPublish | { kind: 'ping' } | { kind: 'incomplete' } | { kind: 'other' }

/** PUBLISH with QoS 1, sent for the first time or again, and not retained. */
const PUBLISH = 0x32
const PUBLISH_AGAIN = 0x3a
const PINGREQ = 0xc0

const INCOMPLETE = { kind: 'incomplete' } as const
const OTHER = { kind: 'other' } as const
const PING = { kind: 'ping' } as const

/** The maximum number of bytes of the field Remaining Length. With 7 bits each, three bytes express up to 2 MB. */
const MAX_DIGITS = 3

/**
 * Reads the packet that begins at a position. It is plain if it is a PUBLISH packet with QoS 1 to exactly this topic,
 * is not retained, has a packet id and at most DIRECT_BODY_BYTES, and encodes its length in as few bytes as possible.
 * Any other packet may be valid too: the broker reads it.
 */
export function readPlainPublish(bytes: Buffer, from: number, to: number, topic: Buffer): PlainPacket {
  if (from === to) return INCOMPLETE
  const first = bytes[from]!
  if (first === PINGREQ) return from + 1 === to ? INCOMPLETE : bytes[from + 1] === 0 ? PING : OTHER
  if (first !== PUBLISH && first !== PUBLISH_AGAIN) return OTHER
  let rest = 0
  let at = from + 1
  for (let digits = 0; ; digits++) {
    if (digits === MAX_DIGITS) return OTHER
    if (at === to) return INCOMPLETE
    const digit = bytes[at++]!
    rest += (digit & 127) * 128 ** digits
    if (digit >= 128) continue
    if (digit === 0 && digits > 0) return OTHER
    break
  }
  const length = at - from + rest
  if (length > DIRECT_BODY_BYTES || rest < 2 + topic.length + 2) return OTHER
  const idAt = at + 2 + topic.length
  if (to < idAt + 2) return INCOMPLETE
  const isTopic = bytes.readUInt16BE(at) === topic.length && topic.compare(bytes, at + 2, idAt) === 0
  const messageId = bytes.readUInt16BE(idAt)
  if (!isTopic || messageId === 0) return OTHER
  return { kind: 'publish', length, payloadAt: idAt + 2 - from, messageId }
}
