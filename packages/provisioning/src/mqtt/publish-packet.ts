/** The fields of a PUBLISH packet with QoS 1. */
export interface PublishFields {
  topic: string
  messageId: number
  payload: Buffer
}

/** Reads the body of a PUBLISH packet with QoS 1. Undefined when it is invalid. */
export function readPublish(body: Buffer): PublishFields | undefined {
  if (body.length < 4) return undefined
  const topicEnd = 2 + body.readUInt16BE(0)
  if (body.length < topicEnd + 2) return undefined
  const messageId = body.readUInt16BE(topicEnd)
  if (messageId === 0) return undefined
  return { topic: body.toString('utf8', 2, topicEnd), messageId, payload: body.subarray(topicEnd + 2) }
}

/** The PUBACK packet, which acknowledges a message. */
export const publishAck = (messageId: number): Buffer => Buffer.from([0x40, 2, messageId >> 8, messageId & 255])
