import { isUtf8 } from 'node:buffer'

/** The client sent what MQTT forbids. Its connection is closed. */
export class ProtocolError extends Error {}

/** Checks a text of a packet (MQTT 3.1.1, 1.5.3). */
export function checkText(bytes: Buffer): void {
  if (bytes.includes(0)) throw new ProtocolError('text contains U+0000')
  if (!isUtf8(bytes)) throw new ProtocolError('text is not UTF-8')
}

/** Reads a packet id, which is not 0 (MQTT 3.1.1, 2.3.1). */
export function readPacketId(body: Buffer, at = 0): number {
  if (body.length < at + 2) throw new ProtocolError('packet id is missing')
  const id = body.readUInt16BE(at)
  if (id === 0) throw new ProtocolError('packet id is 0')
  return id
}

/**
 * Checks the packet id and the topic filters of SUBSCRIBE or UNSUBSCRIBE.
 *
 * @param hasQos True for SUBSCRIBE: a QoS follows each filter.
 */
export function checkFilters(body: Buffer, hasQos: boolean): void {
  readPacketId(body)
  for (let at = 2; at + 2 <= body.length; ) {
    const end = at + 2 + body.readUInt16BE(at)
    checkText(body.subarray(at + 2, end))
    at = hasQos ? end + 1 : end
  }
}

export const hasNul = (...texts: (string | undefined)[]): boolean => texts.some((text) => text?.includes('\0'))
