import { generate } from 'mqtt-packet'
import { describe, expect, it } from 'vitest'
import { ProtocolError } from './protocol-checks.ts'
import { publishAck, readPublish } from './publish-packet.ts'

const packet = { cmd: 'publish', dup: false, retain: false } as const
const QOS0 = 0x30
const QOS1 = 0x32
const QOS3 = 0x36

describe('a PUBLISH packet', () => {
  it.each([0, 1, 2] as const)('with QoS %i is read completely if the MQTT library has written it', (qos) => {
    for (const [topic, payload] of [
      ['svc/ä/telemetry', Buffer.from('payload')],
      ['t', Buffer.alloc(0)],
    ] as const) {
      const bytes = generate({ ...packet, qos, topic, messageId: 0x1234, payload })
      const messageId = qos === 0 ? undefined : 0x1234
      expect(readPublish(bytes[0]!, bytes.subarray(2))).toEqual({ qos, topic, messageId, payload })
    }
  })

  it('is acknowledged with the same bytes that the MQTT library writes', () => {
    expect(publishAck(1, 0x1234)).toEqual(generate({ cmd: 'puback', messageId: 0x1234 }))
    expect(publishAck(2, 0x1234)).toEqual(generate({ cmd: 'pubrec', messageId: 0x1234 }))
  })

  it.each([
    ['no bytes after the length field', QOS1, []],
    ['a topic that ends early', QOS1, [0, 9, 0x61, 0, 1]],
    ['no message id', QOS1, [0, 2, 0x61, 0x62]],
    ['half a message id', QOS1, [0, 1, 0x61, 1]],
    ['the message id 0', QOS1, [0, 1, 0x61, 0, 0, 0x62]],
    ['no topic', QOS0, [0, 0, 0x61]],
    ['a wildcard in its topic', QOS0, [0, 1, 0x23]],
    ['U+0000 in its topic', QOS0, [0, 3, 0x61, 0, 0x62]],
    ['a topic that is not UTF-8', QOS0, [0, 2, 0xc3, 0x28]],
    ['QoS 3', QOS3, [0, 1, 0x61, 0, 1]],
  ])('[MQT-23] is refused if it has %s', (_, firstByte, bytes) => {
    expect(() => readPublish(firstByte, Buffer.from(bytes))).toThrow(ProtocolError)
  })
})
