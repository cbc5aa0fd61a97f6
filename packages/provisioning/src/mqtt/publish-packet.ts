import { checkText, ProtocolError, readPacketId } from './protocol-checks.ts'
import { isWildcard } from './topics.ts'

/** The fields of a PUBLISH packet. */
export interface PublishFields {
  qos: 0 | 1 | 2
  topic: string
  /** Absent at QoS 0. */
  messageId: number | undefined
  payload: Buffer
}

/** Reads a PUBLISH packet. `body` has all bytes after the length field of the packet. */
export function readPublish(firstByte: number, body: Buffer): PublishFields {
  const qos = (firstByte >> 1) & 0b11
  if (qos !== 0 && qos !== 1 && qos !== 2) throw new ProtocolError('QoS 3')
  const topicEnd = body.length < 2 ? Number.POSITIVE_INFINITY : 2 + body.readUInt16BE(0)
  if (body.length < topicEnd) throw new ProtocolError('topic is incomplete')
  const text = body.subarray(2, topicEnd)
  checkText(text)
  const topic = text.toString('utf8')
  if (topic === '' || isWildcard(topic)) throw new ProtocolError('topic is empty or has wildcards')
  if (qos === 0) return { qos, topic, messageId: undefined, payload: body.subarray(topicEnd) }
  return { qos, topic, messageId: readPacketId(body, topicEnd), payload: body.subarray(topicEnd + 2) }
}

const PUBACK = 0x40
const PUBREC = 0x50

/** The packet that acknowledges a message with QoS 1 or 2. */
export const publishAck = (qos: 1 | 2, messageId: number): Buffer =>
  Buffer.from([qos === 1 ? PUBACK : PUBREC, 2, messageId >> 8, messageId & 255])
